#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/config/config.h"
#include "app/config/config_value.h"

/// The types of settings that are lists; as config_types.h.
namespace app::types {

/// Texts that T::parse() takes; one text alone is a list of one. T: server::Endpoint, Network,
/// Origin.
template <typename T>
struct ListOf {
  std::string_view meaning;  ///< what allowed() says
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
