#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/config/config.h"
#include "app/config/config_value.h"

/// Types of settings that are lists; they work like those of config_types.h.
namespace app::types {

/// A list of strings that T::parse() accepts; a single string is a list of one. T is
/// server::Endpoint, server::Network, server::HostName, server::Origin or transcoder::AllowedPlace.
template <typename T>
struct ListOf {
  std::string_view meaning;  ///< returned by allowed()
  std::vector<T> read(const Value& value) const;
  std::string write(const std::vector<T>& list) const;
  std::string allowed() const;
};

/// [[tcp.network]] blocks.
struct NetworkRules {
  std::vector<NetworkRule> read(const Value& value) const;
  std::string write(const std::vector<NetworkRule>& rules) const;
  std::string allowed() const;
};

}  // namespace app::types
