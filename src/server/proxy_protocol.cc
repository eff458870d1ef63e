#include "server/proxy_protocol.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>

namespace server {

namespace {

using namespace std::string_view_literals;
using Status = ProxyHeader::Status;

// Section 2.1: "PROXY TCP4 SOURCE DESTINATION PORT PORT", a line of at most 107 bytes.
constexpr auto kVersion1 = "PROXY "sv;
constexpr std::size_t kMaxLine = 107;

// Section 2.2: the signature, version and command, family and protocol, length of the rest.
constexpr auto kVersion2 = "\r\n\r\n\0\r\nQUIT\n"sv;
constexpr std::size_t kFixedSize = 16;
constexpr unsigned char kLocal = 0x20;
constexpr unsigned char kProxy = 0x21;
constexpr unsigned char kTcp4 = 0x11;
constexpr unsigned char kTcp6 = 0x21;

constexpr ProxyHeader kInvalid{Status::kInvalid};

bool may_become(std::string_view bytes, std::string_view start) {
  return bytes.substr(0, start.size()) == start.substr(0, bytes.size());
}

unsigned byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<unsigned char>(bytes[index]);
}

std::string_view take_word(std::string_view& line) {
  const auto end = std::min(line.find(' '), line.size());
  const auto word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

ProxyHeader parse_line(std::string_view bytes) {
  const auto end = bytes.substr(0, kMaxLine).find("\r\n");
  if (end == std::string_view::npos)
    return {bytes.size() < kMaxLine ? Status::kIncomplete : Status::kInvalid};
  ProxyHeader header{Status::kComplete, end + 2};
  auto line = bytes.substr(kVersion1.size(), end - kVersion1.size());
  const auto family = take_word(line);
  if (family == "UNKNOWN") return header;
  const auto text = take_word(line);
  const auto source = Address::parse(text);
  const bool ipv6 = text.find(':') != std::string_view::npos;  // also "::ffff:192.0.2.1"
  if (!source || family != (ipv6 ? "TCP6" : "TCP4")) return kInvalid;
  header.client = *source;
  return header;
}

/// Reads an address of the family in network order.
std::optional<Address> read_address(int family, std::string_view bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (inet_ntop(family, bytes.data(), text.data(), text.size()) == nullptr) return {};
  const auto address = Address::parse(text.data());
  return address ? std::optional{*address} : std::nullopt;
}

ProxyHeader parse_binary(std::string_view bytes) {
  if (bytes.size() < kFixedSize) return {Status::kIncomplete};
  const auto command = byte_at(bytes, 12);
  const auto family = byte_at(bytes, 13);
  const std::size_t length = byte_at(bytes, 14) << 8 | byte_at(bytes, 15);
  if (command != kLocal && command != kProxy) return kInvalid;
  if (bytes.size() < kFixedSize + length) return {Status::kIncomplete};
  ProxyHeader header{Status::kComplete, kFixedSize + length};
  if (command == kLocal) return header;
  // Source and destination address, two ports; then perhaps extensions, which are skipped.
  const auto addresses = bytes.substr(kFixedSize, length);
  if (family == kTcp4) {
    if (length < 12) return kInvalid;
    header.client = read_address(AF_INET, addresses);
  } else if (family == kTcp6) {
    if (length < 36) return kInvalid;
    header.client = read_address(AF_INET6, addresses);
  }
  return header;
}

}  // namespace

ProxyHeader parse_proxy_header(std::string_view bytes) {
  if (bytes.starts_with(kVersion1)) return parse_line(bytes);
  if (bytes.starts_with(kVersion2)) return parse_binary(bytes);
  const bool undecided = may_become(bytes, kVersion1) || may_become(bytes, kVersion2);
  return {undecided ? Status::kIncomplete : Status::kNone};
}

}  // namespace server
