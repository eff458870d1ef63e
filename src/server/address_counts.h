#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "server/address.h"

namespace server {

/// Addresses that one client may own: an IPv4 address, or an IPv6 network. A value.
struct AddressBlock {
  Address address;  ///< the network's first
  int bits = 0;     ///< of an IPv6 network; 0 for an IPv4 address

  static AddressBlock of(const Address& address, int bits) {
    return address.is_ipv4() ? AddressBlock{address, 0} : AddressBlock{address.prefix(bits), bits};
  }
  /// The largest that one client may own, such as the customer of a tunnel broker.
  static AddressBlock largest(const Address& address) { return of(address, 48); }

  bool contains(const Address& other) const { return of(other, bits) == *this; }
  auto operator<=>(const AddressBlock&) const = default;
};

/// Counts what the clients of each address have, and limits it. Addresses of proxies stand for many
/// clients and have no limit. Not thread-safe.
///
/// IPv6 has limits at three sizes, as a network of each size may belong to one client: at /64 that
/// of an address, at /56 (a home) twice as much and at /48 (a site, and some homes) four times.
/// The larger ones are wide enough for several people in each, but at most half of all: no network
/// takes the rest from the others.
class AddressCounts {
 public:
  AddressCounts(int in_all, int per_address, std::vector<Network> proxies)
      : in_all_{in_all}, per_address_{per_address}, proxies_{std::move(proxies)} {}

  /// The smallest block of `address` that has all it may have, if there is one.
  std::optional<AddressBlock> full(const Address& address) const;
  void add(const Address& address) { change(address, 1); }
  void remove(const Address& address) { change(address, -1); }
  bool is_proxy(const Address& address) const { return contains(proxies_, address); }

 private:
  void change(const Address& address, int by);
  int limit(int times) const;

  const int in_all_;
  const int per_address_;
  const std::vector<Network> proxies_;
  std::map<AddressBlock, int> counts_;
};

}  // namespace server
