#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace server {

/// An IPv4 or IPv6 address without port; IPv4-mapped IPv6 is IPv4. A value.
class Address {
 public:
  Address() = default;
  static Address of(const sockaddr_storage& socket_address);
  static base::Result<Address> parse(std::string_view text);

  std::string text() const;
  bool is_ipv4() const;
  /// Whose it is: of IPv6 the first 64 bits, for a host may have all addresses that begin so.
  Address owner() const;
  auto operator<=>(const Address&) const = default;

 private:
  friend class Network;
  std::array<std::uint8_t, 16> bytes_{};  ///< network order; IPv4 as ::ffff:a.b.c.d
};

/// An address block such as 10.0.0.0/8 or 2001:db8::/32; a bare address is a block of one. An
/// IPv6 block, ::/0 included, holds no IPv4 address. A value.
class Network {
 public:
  static base::Result<Network> parse(std::string_view text);
  bool contains(const Address& address) const;
  std::string text() const;
  bool operator==(const Network&) const = default;

 private:
  Address prefix_;
  int length_ = 128;  ///< bits of the 128-bit form
};

/// "ADDR:PORT", "[v6]:PORT" or ":PORT"; "[::]:PORT" listens on IPv4 as well.
struct Endpoint {
  Address address;
  std::uint16_t port = 0;
  static base::Result<Endpoint> parse(std::string_view text);
  static Endpoint of(const sockaddr_storage& socket_address);
  std::string text() const;
  /// As bind(2) and connect(2) take it: AF_INET for IPv4, AF_INET6 otherwise.
  sockaddr_storage socket_address() const;
  bool operator==(const Endpoint&) const = default;
};

}  // namespace server
