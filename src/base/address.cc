#include "base/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace base {

namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr int kMappedBits = 96;
constexpr std::array<std::uint8_t, 12> kNat64Prefix{0, 0x64, 0xff, 0x9b};
constexpr std::array<std::uint8_t, 2> k6to4Prefix{0x20, 0x02};

/// Reads a sockaddr_storage as its family's own type (socket(7)). Copying avoids aliasing.
template <typename T>
T as(const sockaddr_storage& address) {
  T specific;
  std::memcpy(&specific, &address, sizeof specific);
  return specific;
}

template <typename T>
sockaddr_storage generic(const T& specific) {
  sockaddr_storage address{};
  std::memcpy(&address, &specific, sizeof specific);
  return address;
}

std::optional<int> number(std::string_view text, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0 || value > most) {
    return std::nullopt;
  }
  return value;
}

Error no_address(std::string_view text) {
  return {fmt::format("\"{}\" is not an IP address (such as 192.0.2.1 or 2001:db8::1)", text)};
}

Error no_endpoint(std::string_view text, std::string_view why) {
  return {fmt::format(
      "\"{}\" is not ADDRESS:PORT: {} (such as 192.0.2.1:8080, [::1]:8080 or :8080)", text, why)};
}

struct HostAndPort {
  std::string_view host;
  std::string_view port;
};

Result<HostAndPort> split(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || text.ends_with(']')) {
    return no_endpoint(text, "the port is missing");
  }
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (host.find(':') == std::string_view::npos) {
      return no_endpoint(text, "brackets are for IPv6");
    }
  } else if (host.find(':') != std::string_view::npos) {
    return no_endpoint(text, "an IPv6 address needs brackets");
  }
  return HostAndPort{host, text.substr(colon + 1)};
}

}  // namespace

Address Address::of(const sockaddr_storage& socket_address) {
  Address address;
  if (socket_address.ss_family == AF_INET) {
    const auto v4 = as<sockaddr_in>(socket_address);
    std::copy(kMappedPrefix.begin(), kMappedPrefix.end(), address.bytes_.begin());
    std::memcpy(&address.bytes_[kMappedPrefix.size()], &v4.sin_addr, sizeof v4.sin_addr);
  } else if (socket_address.ss_family == AF_INET6) {
    const auto v6 = as<sockaddr_in6>(socket_address);
    std::memcpy(address.bytes_.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
  }
  return address;
}

Result<Address> Address::parse(std::string_view text) {
  if (text.find('\0') != std::string_view::npos)
    return no_address(text);  // inet_pton() would stop there
  const std::string terminated{text};
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (inet_pton(AF_INET, terminated.c_str(), &v4.sin_addr) == 1) return of(generic(v4));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  if (inet_pton(AF_INET6, terminated.c_str(), &v6.sin6_addr) == 1) return of(generic(v6));
  return no_address(text);
}

bool Address::is_ipv4() const {
  return std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes_.begin());
}

Address Address::prefix(int bits) const {
  Address prefix;
  std::copy_n(bytes_.begin(), bits / 8, prefix.bytes_.begin());
  if (bits % 8 != 0) {
    const auto last = static_cast<std::size_t>(bits / 8);
    prefix.bytes_[last] = static_cast<std::uint8_t>(bytes_[last] & ~(0xff >> bits % 8));
  }
  return prefix;
}

Address Address::translated() const {
  const auto inside = [this](const auto& prefix) {
    Address v4;
    std::ranges::copy(kMappedPrefix, v4.bytes_.begin());
    std::copy_n(bytes_.begin() + prefix.size(), 4, v4.bytes_.begin() + kMappedPrefix.size());
    return v4;
  };
  const auto begins = [this](const auto& prefix) {
    return std::equal(prefix.begin(), prefix.end(), bytes_.begin());
  };
  if (begins(kNat64Prefix)) return inside(kNat64Prefix);
  if (begins(k6to4Prefix)) return inside(k6to4Prefix);
  return *this;
}

std::string Address::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  if (is_ipv4()) {
    inet_ntop(AF_INET, &bytes_[kMappedPrefix.size()], buffer.data(), buffer.size());
  } else {
    inet_ntop(AF_INET6, bytes_.data(), buffer.data(), buffer.size());
  }
  return buffer.data();
}

Result<Network> Network::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto address = Address::parse(text.substr(0, slash));
  if (!address) return Error{address.error()};

  Network network;
  network.prefix_ = *address;
  if (slash == std::string_view::npos) return network;
  const int offset = address->is_ipv4() ? kMappedBits : 0;
  const auto length = number(text.substr(slash + 1), 128 - offset);
  if (!length) {
    return Error{fmt::format("\"{}\": the prefix length must be 0 to {}", text, 128 - offset)};
  }
  network.length_ = *length + offset;
  network.prefix_ = address->prefix(network.length_);
  if (network.prefix_ != *address) {
    return Error{fmt::format("\"{}\" has bits set beyond its prefix length: write {}", text,
                             network.text())};
  }
  return network;
}

Network Network::of(const Address& address, int length) {
  Network network;
  network.length_ = length + (address.is_ipv4() ? kMappedBits : 0);
  network.prefix_ = address.prefix(network.length_);
  return network;
}

bool Network::contains(const Address& address) const {
  if (address.is_ipv4() && length_ < kMappedBits) return false;
  const auto whole = static_cast<std::size_t>(length_ / 8);
  if (!std::equal(address.bytes_.begin(), address.bytes_.begin() + length_ / 8,
                  prefix_.bytes_.begin())) {
    return false;
  }
  if (length_ % 8 == 0) return true;
  const int differing = address.bytes_[whole] ^ prefix_.bytes_[whole];
  return differing >> (8 - length_ % 8) == 0;
}

std::string Network::text() const {
  return fmt::format("{}/{}", prefix_.text(), prefix_.is_ipv4() ? length_ - kMappedBits : length_);
}

bool contains(const std::vector<Network>& networks, const Address& address) {
  return std::ranges::any_of(networks, [&](const auto& n) { return n.contains(address); });
}

Result<Endpoint> Endpoint::parse(std::string_view text) {
  const auto parts = split(text);
  if (!parts) return Error{parts.error()};
  const auto port = number(parts->port, 65535);
  if (!port) return no_endpoint(text, "the port must be 0 to 65535");
  Endpoint endpoint;
  endpoint.port = static_cast<std::uint16_t>(*port);
  if (parts->host.empty()) return endpoint;
  const auto address = Address::parse(parts->host);
  if (!address) return Error{address.error()};
  endpoint.address = *address;
  return endpoint;
}

Endpoint Endpoint::of(const sockaddr_storage& socket_address) {
  const auto port = socket_address.ss_family == AF_INET
                        ? as<sockaddr_in>(socket_address).sin_port
                        : as<sockaddr_in6>(socket_address).sin6_port;
  return {Address::of(socket_address), ntohs(port)};
}

std::string Endpoint::text() const {
  const std::string host = address.text();
  return address.is_ipv4() ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

sockaddr_storage Endpoint::socket_address() const {
  if (address.is_ipv4()) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    inet_pton(AF_INET, address.text().c_str(), &v4.sin_addr);
    return generic(v4);
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  inet_pton(AF_INET6, address.text().c_str(), &v6.sin6_addr);
  return generic(v6);
}

}  // namespace base
