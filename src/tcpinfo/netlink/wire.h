#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

/// The bytes of netlink (include/uapi/linux/netlink.h): messages that hold a header and attributes.
/// Views; what does not fit ends the reading, so no length that the bytes claim is believed.
namespace tcpinfo::wire {

using Bytes = std::span<const std::byte>;

struct Attribute {
  std::uint16_t type = 0;  ///< without its flags
  Bytes value;
};

/// The next attribute of `rest`, which then begins behind it; empty at the end.
std::optional<Attribute> take_attribute(Bytes& rest);

/// The payload of the next message of `rest`, which then begins behind it; empty at the end.
std::optional<Bytes> take_message(Bytes& rest);

/// The T that `bytes` begin with; empty when they are too few.
template <typename T>
std::optional<T> front(Bytes bytes) {
  if (bytes.size() < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// What follows the T, padded as netlink pads it.
template <typename T>
Bytes after(Bytes bytes) {
  constexpr std::size_t kPadded = (sizeof(T) + 3) & ~std::size_t{3};
  return bytes.subspan(bytes.size() < kPadded ? bytes.size() : kPadded);
}

}  // namespace tcpinfo::wire
