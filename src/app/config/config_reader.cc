#include "app/config/config_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "app/config/config_types.h"
#include "app/config/nearest.h"
#include "app/config/secret_store.h"

namespace app {

namespace {

const BoundKey* find_key(const Scope& scope, std::string_view path) {
  const auto found = std::ranges::find(scope, path, &BoundKey::path);
  return found == scope.end() ? nullptr : &*found;
}

bool is_section(const Scope& scope, const std::string& path) {
  return std::ranges::any_of(scope,
                             [&](const auto& key) { return key.path.starts_with(path + "."); });
}

std::string last_part(std::string_view path) {
  return std::string{path.substr(path.rfind('.') + 1)};  // npos + 1 is 0
}

/// Keys with this name in any section, to find the one meant by a key in the wrong section.
std::vector<std::string> namesakes(const Scope& scope, std::string_view path) {
  std::vector<std::string> out;
  for (const auto& key : scope) {
    if (last_part(key.path) == last_part(path)) out.emplace_back(key.path);
  }
  return out;
}

/// Keys and sections that are valid in place of `path`: those with the same prefix.
std::vector<std::string> siblings(const Scope& scope, std::string_view path) {
  const std::string_view prefix = path.substr(0, path.rfind('.') + 1);
  std::vector<std::string> out;
  for (const auto& key : scope) {
    if (!key.path.starts_with(prefix)) continue;
    const auto end = key.path.find('.', prefix.size());
    std::string name{key.path.substr(0, end)};
    if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
  }
  return out;
}

std::string hint(const Scope& scope, const std::string& path) {
  const auto here = siblings(scope, path);
  if (const auto meant = nearest(path, here); !meant.empty()) {
    return fmt::format("did you mean {}?", meant);
  }
  if (const auto same = namesakes(scope, path); !same.empty()) {
    return fmt::format("did you mean {}?", fmt::join(same, " or "));
  }
  std::vector<std::string> all;
  for (const auto& key : scope) all.emplace_back(key.path);
  if (const auto meant = nearest(path, all); !meant.empty()) {
    return fmt::format("did you mean {}?", meant);
  }
  return fmt::format("known keys: {}", fmt::join(here, ", "));
}

void note_places(const std::string& path, const Value& value, Places& places) {
  places[path] = value.place;
  const auto* list = std::get_if<Value::List>(&value.data);
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->size(); ++i) {
    places[fmt::format("{}.{}", path, i)] = (*list)[i].place;
  }
}

}  // namespace

void ConfigReader::read(const Value::Table& table, const Scope& scope, Places& places,
                        const std::string& prefix) {
  for (const auto& entry : table) read_entry(entry, scope, places, prefix + entry.key);
}

void ConfigReader::read_entry(const Value::Entry& entry, const Scope& scope, Places& places,
                              const std::string& path) {
  if (const auto* key = find_key(scope, path)) {
    note_places(path, entry.value, places);
    try {
      key->read(secrets_ ? resolved(entry.value, *secrets_) : entry.value);
    } catch (const Rejected& rejected) {
      add_error(rejected.place, path + ": " + rejected.message);
    }
  } else if (!is_section(scope, path)) {
    add_error(entry.place, fmt::format("unknown key {}; {}", path, hint(scope, path)));
  } else if (const auto* section = std::get_if<Value::Table>(&entry.value.data)) {
    read(*section, scope, places, path + ".");
  } else {
    add_error(entry.value.place, fmt::format("{0} is a section, not a key; write [{0}]", path));
  }
}

void ConfigReader::add_error(const std::string& place, const std::string& message) {
  auto line = place + ": " + message;
  if (std::ranges::find(errors_, line) == errors_.end()) errors_.push_back(std::move(line));
}

}  // namespace app
