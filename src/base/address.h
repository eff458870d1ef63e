#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace base {

/// An IPv4 or IPv6 address without port. An IPv4-mapped IPv6 address counts as IPv4. A value.
class Address {
 public:
  Address() = default;
  static Address of(const sockaddr_storage& socket_address);
  static Result<Address> parse(std::string_view text);

  std::string text() const;
  bool is_ipv4() const;
  /// The first `bits` bits of the 128-bit form, 0 to 128; the others are 0.
  Address prefix(int bits) const;
  /// The IPv4 address that a translator reaches by this one (NAT64, RFC 6052; 6to4, RFC 3056), or
  /// the address itself.
  Address translated() const;
  auto operator<=>(const Address&) const = default;

 private:
  friend class Network;
  std::array<std::uint8_t, 16> bytes_{};  ///< network order; IPv4 as ::ffff:a.b.c.d
};

/// An address block such as 10.0.0.0/8 or 2001:db8::/32. A bare address is a block of one. IPv6
/// blocks, even ::/0, contain no IPv4 address. A value.
class Network {
 public:
  static Result<Network> parse(std::string_view text);
  /// The block of `length` bits that has the address. 0 to 32 for IPv4, 0 to 128 for IPv6.
  static Network of(const Address& address, int length);
  bool contains(const Address& address) const;
  std::string text() const;
  auto operator<=>(const Network&) const = default;

 private:
  Address prefix_;
  int length_ = 128;  ///< prefix length in bits, of the 128-bit form
};

/// Whether one of the networks has the address.
bool contains(const std::vector<Network>& networks, const Address& address);

/// An address and a port. A value. Its text is "ADDR:PORT", "[v6]:PORT" or ":PORT"; "[::]:PORT"
/// listens on IPv4 as well.
struct Endpoint {
  Address address;
  std::uint16_t port = 0;
  static Result<Endpoint> parse(std::string_view text);
  static Endpoint of(const sockaddr_storage& socket_address);
  std::string text() const;
  /// For bind(2) and connect(2): AF_INET for IPv4, AF_INET6 otherwise.
  sockaddr_storage socket_address() const;
  bool operator==(const Endpoint&) const = default;
};

}  // namespace base
