#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

/// Netlink's bytes (include/uapi/linux/netlink.h): messages of a header and attributes. The
/// results of parsing are views of the input. Lengths in the input are checked; a wrong one ends
/// the parsing.
namespace tcpinfo::wire {

using Bytes = std::span<const std::byte>;

struct Attribute {
  std::uint16_t type = 0;  ///< without flags
  Bytes value;
};

/// Removes the next attribute from `rest` and returns it; nullopt at the end.
std::optional<Attribute> take_attribute(Bytes& rest);

/// Removes the next message from `rest` and returns its payload; nullopt at the end.
std::optional<Bytes> take_message(Bytes& rest);

/// The T at the beginning of `bytes`; nullopt if `bytes` is too short.
template <typename T>
std::optional<T> front(Bytes bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// The bytes after a T at the beginning of `bytes` and after its padding to four bytes.
template <typename T>
Bytes after(Bytes bytes) {
  constexpr std::size_t kPaddedBytes = (sizeof(T) + 3) & ~std::size_t{3};
  return bytes.subspan(bytes.size() < kPaddedBytes ? bytes.size() : kPaddedBytes);
}

/// Appends an attribute and its padding to `out`. Leaves out a value that is too long for an
/// attribute's 16 bits.
void put_attribute(std::vector<std::byte>& out, std::uint16_t type, Bytes value);

}  // namespace tcpinfo::wire
