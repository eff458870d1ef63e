#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "app/config/config_keys.h"

/// Helpers for the tables in daemon_keys.cc and stream_keys.cc: a section lists its keys, and each
/// key names the member of a settings struct that it sets.
namespace app {

/// A key, before the place of its Part in the configuration is known.
template <typename Part>
struct Field {
  std::string_view name;
  std::string_view doc;
  std::string allowed;
  std::function<void(Part&, const Value&)> read;
  std::function<std::string(const Part&)> write;
};

template <typename Part, typename T, typename Type>
Field<Part> key(std::string_view name, T Part::*member, Type type, std::string_view doc) {
  return {name, doc, type.allowed(),
          [=](Part& part, const Value& value) { part.*member = type.read(value); },
          [=](const Part& part) { return type.write(part.*member); }};
}

/// `part_of` finds the struct that holds the section's members.
template <typename Target, typename Part, typename PartOf>
Section<Target> section(std::string_view name, std::string_view doc, PartOf part_of,
                        std::initializer_list<Field<Part>> fields) {
  Section<Target> out{std::string{name}, std::string{doc}, {}};
  const std::string prefix = name.empty() ? "" : std::string{name} + ".";
  for (const auto& field : fields) {
    out.keys.push_back(
        {prefix + std::string{field.name}, std::string{field.doc}, field.allowed,
         [=, read = field.read](Target& target, const Value& v) { read(part_of(target), v); },
         [=, write = field.write](const Target& target) { return write(part_of(target)); }});
  }
  return out;
}

}  // namespace app
