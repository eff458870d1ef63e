#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace fuzz {

/// The bytes of one run, taken from the front. A value; the bytes have to outlive it.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : bytes_{reinterpret_cast<const char*>(data), size} {}

  bool empty() const { return bytes_.empty(); }

  /// A number in little-endian order. Bytes that are missing count as 0.
  template <typename Number>
  requires std::is_integral_v<Number> Number take() {
    std::uint64_t value = 0;
    const auto bytes = take_bytes(sizeof(Number));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << 8 * i;
    }
    return static_cast<Number>(value);
  }

  /// At most `count` bytes.
  std::string_view take_bytes(std::size_t count) {
    const auto taken = bytes_.substr(0, count);
    bytes_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest() { return take_bytes(bytes_.size()); }

 private:
  std::string_view bytes_;
};

}  // namespace fuzz
