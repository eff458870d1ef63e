#include "app/config/config_toml.h"

#include <toml++/toml.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "app/config/config.h"
#include "app/config/toml_mistake.h"

namespace app {

namespace {

class Converter {
 public:
  explicit Converter(const std::string& path) : path_{path} {}

  std::string place(const toml::source_region& region) const {
    return path_ + ":" + std::to_string(region.begin.line) + ":" +
           std::to_string(region.begin.column);
  }

  /// In the file's order, so that errors are in that order, too.
  Value::Table table(const toml::table& from) const {
    std::map<Position, Value::Entry> entries;
    for (const auto& [key, node] : from) {
      const auto& begin = key.source().begin;
      entries[{begin.line, begin.column}] = {std::string{key.str()}, place(key.source()),
                                             value(node)};
    }
    Value::Table to;
    for (auto& [position, entry] : entries) to.push_back(std::move(entry));
    return to;
  }

 private:
  using Position = std::pair<toml::source_index, toml::source_index>;

  Value value(const toml::node& node) const {
    Value to{.data = false, .place = place(node.source())};
    if (const auto* flag = node.as_boolean()) {
      to.data = flag->get();
    } else if (const auto* whole = node.as_integer()) {
      to.data = whole->get();
    } else if (const auto* real = node.as_floating_point()) {
      to.data = real->get();
    } else if (const auto* text = node.as_string()) {
      to.data = text->get();
    } else if (const auto* list = node.as_array()) {
      to.data = this->list(*list);
    } else if (const auto* table = node.as_table()) {
      to.data = this->table(*table);
    } else {
      throw ConfigError{to.place + ": no key takes a date or time; write a string in quotes"};
    }
    return to;
  }

  Value::List list(const toml::array& from) const {
    Value::List to;
    for (const auto& node : from) to.push_back(value(node));
    return to;
  }

  const std::string& path_;
};

}  // namespace

Value::Table parse_toml(std::string_view text, const std::string& path, TomlContent content) {
  const Converter converter{path};
  try {
    return converter.table(toml::parse(text, path));
  } catch (const toml::parse_error& error) {
    const auto place = converter.place(error.source()) + ": ";
    if (content == TomlContent::kSecrets)
      throw ConfigError{place + "write NAME = \"VALUE\", each name once"};
    throw ConfigError{place + toml_mistake(text, error.source().begin.line, error.description())};
  }
}

Value::Table parse_toml_file(const std::string& path, TomlContent content) {
  if (std::filesystem::is_directory(path))
    throw ConfigError{path + ": this is a directory; name a file"};
  std::ifstream file{path};
  if (!file) throw ConfigError{path + ": " + std::strerror(errno)};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  return parse_toml(text, path, content);
}

}  // namespace app
