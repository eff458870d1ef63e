#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/config/config_value.h"

/// The only tables of keys, in daemon_keys.cc and stream_keys.cc. The reader, its errors,
/// config/symcast.toml and `symcast check --show` all use them. Built-in values are those of the
/// settings structs.
namespace app {

/// A key of the configuration that sets something in Target.
template <typename Target>
struct Key {
  std::string path;     ///< "rate.max"
  std::string doc;      ///< its effect, and when to change it; may have several lines
  std::string allowed;  ///< type and range in words
  std::function<void(Target&, const Value&)> read;  ///< throws Rejected
  std::function<std::string(const Target&)> write;  ///< TOML
};

template <typename Target>
struct Section {
  std::string name;  ///< "rate"
  std::string doc;
  std::vector<Key<Target>> keys;
};

/// The daemon's sections, from [server] to [trace].
const std::vector<Section<Config>>& daemon_sections();

/// Sections that every stream inherits and may override.
const std::vector<Section<StreamConfig>>& stream_sections();

/// Keys that only a [[stream]] has: its name and source.uri (`source = "URI"` is shorthand).
const std::vector<Section<StreamConfig>>& identity_sections();

}  // namespace app
