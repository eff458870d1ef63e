#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "server/address.h"

namespace server {

/// Who may read what is not everybody's: admin.allow. A value.
class AdminList {
 public:
  explicit AdminList(std::vector<Network> networks) : networks_{std::move(networks)} {}

  bool contains(const Address& address) const {
    return std::ranges::any_of(networks_, [&](const auto& n) { return n.contains(address); });
  }
  /// What 403 says to somebody else.
  static std::string refusal(const Address& address) {
    return address.text() + " is not in admin.allow";
  }

 private:
  std::vector<Network> networks_;
};

}  // namespace server
