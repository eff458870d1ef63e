#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/config_keys.h"
#include "app/config/config_value.h"

namespace app {

class SecretStore;

/// Where each key was set: "rate.max" -> "FILE:LINE:COLUMN". Contains only keys that were set. The
/// items of a list have their own places: "tcp.network.0".
using Places = std::map<std::string, std::string, std::less<>>;

/// A key bound to the object that it sets.
struct BoundKey {
  std::string_view path;
  std::function<void(const Value&)> read;
};
using Scope = std::vector<BoundKey>;

/// Adds the keys of `sections` to `scope`; both must outlive its use, as must `target`.
template <typename Target>
void bind(const std::vector<Section<Target>>& sections, Target& target, Scope& scope) {
  for (const auto& section : sections) {
    for (const auto& key : section.keys) {
      scope.push_back({key.path, [&](const Value& value) { key.read(target, value); }});
    }
  }
}

/// Reads tables by the keys of a scope and collects all errors, so that one pass shows them all.
class ConfigReader {
 public:
  /// Null leaves ${NAME} in strings as it is.
  explicit ConfigReader(SecretStore* secrets) : secrets_{secrets} {}

  /// `prefix` is "" or, for example, "rate."; `places` receives the keys that were set.
  void read(const Value::Table& table, const Scope& scope, Places& places,
            const std::string& prefix = "");

  /// Adds an error once: all streams inherit the same mistake.
  void add_error(const std::string& place, const std::string& message);

  const std::vector<std::string>& errors() const { return errors_; }

 private:
  void read_entry(const Value::Entry& entry, const Scope& scope, Places& places,
                  const std::string& path);

  SecretStore* secrets_;
  std::vector<std::string> errors_;
};

}  // namespace app
