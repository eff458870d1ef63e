#include "app/config/secret_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <variant>

#include "app/config/config_toml.h"
#include "transcoder/secrets.h"

namespace app {

namespace {

/// Also a file name, so it has no slash and does not begin with a dot.
bool is_name(std::string_view text) {
  return !text.empty() && text.front() != '.' && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
}

/// A file of $CREDENTIALS_DIRECTORY, without the line end that editors add.
std::optional<std::string> credential(const std::string& name) {
  const char* directory = std::getenv("CREDENTIALS_DIRECTORY");
  if (directory == nullptr) return std::nullopt;
  const auto path = std::filesystem::path{directory} / name;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return std::nullopt;
  std::ifstream file{path};
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  text.erase(text.find_last_not_of("\r\n") + 1);  // npos + 1 is 0
  return text;
}

bool credentials_are_forbidden() {
  const char* directory = std::getenv("CREDENTIALS_DIRECTORY");
  return directory != nullptr && ::access(directory, R_OK | X_OK) != 0 && errno == EACCES;
}

/// Whether `rest`, which follows a reference in a URI, still belongs to its user:password.
bool in_user(std::string_view before, std::string_view rest) {
  const auto scheme = before.find("://");
  if (scheme == std::string_view::npos) return false;
  if (before.find_first_of("/?#", scheme + 3) != std::string_view::npos) return false;
  const auto end = rest.find_first_of("@/?#");
  return end != std::string_view::npos && rest[end] == '@';
}

std::string resolved(const std::string& text, const std::string& place, SecretStore& secrets) {
  std::string out;
  std::size_t at = 0;
  for (;;) {
    const auto begin = text.find("${", at);
    if (begin == std::string::npos) return out + text.substr(at);
    if (begin > at && text[begin - 1] == '$') {
      out += text.substr(at, begin - 1 - at) + "${";
      at = begin + 2;
      continue;
    }
    const auto end = text.find('}', begin);
    const auto name = text.substr(begin + 2, end == std::string::npos ? end : end - begin - 2);
    if (end == std::string::npos || !is_name(name)) {
      throw Rejected{place,
                     "a secret is written ${NAME}, of letters, digits, _, - and .; write "
                     "$${ for a plain ${"};
    }
    const auto value = secrets.find(name);
    if (!value) throw Rejected{place, value.error()};
    const bool reserved = value->find_first_of("@/?#[] ") != std::string::npos;
    if (reserved && in_user(text.substr(0, begin), std::string_view{text}.substr(end + 1))) {
      throw Rejected{place, fmt::format("the value of ${{{}}} has a blank or one of @ / ? # [ ], "
                                        "which must be percent-encoded in a URL: write %40 for @",
                                        name)};
    }
    out += text.substr(at, begin - at) + *value;
    at = end + 1;
  }
}

}  // namespace

base::Result<std::string> SecretStore::find(const std::string& name) {
  std::optional<std::string> value = credential(name);
  if (!value) {
    if (const char* variable = std::getenv(name.c_str())) value = variable;
  }
  if (!value) {
    const auto& values = in_file();
    if (const auto found = values.find(name); found != values.end()) value = found->second;
  }
  if (value) {
    transcoder::hide_secret(*value);
    return *value;
  }
  if (needed_ == Secrets::kReadableValues && credentials_are_forbidden()) {
    return "${" + name + "}";
  }
  if (!file_error_.empty()) {
    return base::Error{fmt::format("${{{}}} is not set: {}", name, file_error_)};
  }
  if (file_.empty()) {
    return base::Error{fmt::format(
        "${{{}}} is not set; set a systemd credential or an environment variable of this name",
        name)};
  }
  return base::Error{fmt::format(
      "${{{0}}} is not set; add {0} = \"VALUE\" to {1}, or set a systemd credential or an "
      "environment variable of this name",
      name, file_.string())};
}

const std::map<std::string, std::string>& SecretStore::in_file() {
  if (file_values_) return *file_values_;
  file_values_.emplace();
  std::error_code error;
  if (file_.empty() || (!std::filesystem::exists(file_, error) && !error)) return *file_values_;
  try {
    for (const auto& [key, place, value] : parse_toml_file(file_, TomlContent::kSecrets)) {
      const auto* text = std::get_if<std::string>(&value.data);
      if (text == nullptr) throw ConfigError{place + ": write " + key + " = \"VALUE\", in quotes"};
      file_values_->emplace(key, *text);
    }
  } catch (const ConfigError& problem) {
    file_error_ = problem.what();
  }
  return *file_values_;
}

Value resolved(Value value, SecretStore& secrets) {
  if (auto* text = std::get_if<std::string>(&value.data)) {
    if (text->find("${") != std::string::npos) {
      value.written = *text;
      *text = resolved(*text, value.place, secrets);
    }
  } else if (auto* list = std::get_if<Value::List>(&value.data)) {
    for (auto& item : *list) item = resolved(std::move(item), secrets);
  } else if (auto* table = std::get_if<Value::Table>(&value.data)) {
    for (auto& entry : *table) entry.value = resolved(std::move(entry.value), secrets);
  }
  return value;
}

}  // namespace app
