#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "server/address.h"

namespace server {

/// The addresses that may read admin pages: admin.allow in the configuration. A value.
class AdminList {
 public:
  explicit AdminList(std::vector<Network> networks) : networks_{std::move(networks)} {}

  bool contains(const Address& address) const {
    return std::ranges::any_of(networks_, [&](const auto& n) { return n.contains(address); });
  }
  /// The text of a 403 response to an address that is not in the list.
  static std::string refusal(const Address& address) {
    return address.text() + " is not in admin.allow: ask the server's operator to add it";
  }

 private:
  std::vector<Network> networks_;
};

}  // namespace server
