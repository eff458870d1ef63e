#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace transcoder {

/// Reads the bits of a coded frame, most significant first. Throws std::out_of_range at its end.
class BitReader {
 public:
  explicit BitReader(std::span<const std::uint8_t> bytes) : bytes_{bytes} {}

  std::size_t left() const { return 8 * bytes_.size() - at_; }
  std::size_t at() const { return at_; }
  unsigned read(unsigned count) {
    if (count > left()) throw std::out_of_range{"a coded frame that ends early"};
    unsigned value = 0;
    for (; count > 0; --count, ++at_) {
      value = value << 1 | (bytes_[at_ / 8] >> (7 - at_ % 8) & 1U);
    }
    return value;
  }
  unsigned read_ue() {  ///< Exp-Golomb (ITU-T H.264, 9.1)
    constexpr unsigned kMaxZeros = 31;
    unsigned zeros = 0;
    while (read(1) == 0) {
      if (++zeros > kMaxZeros) throw std::out_of_range{"a code of more than 63 bits"};
    }
    return (1U << zeros | read(zeros)) - 1;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

/// Writes bits, most significant first. Zeros fill the last byte.
class BitWriter {
 public:
  /// `count` may exceed the bits of a value: zeros come first.
  void write(std::uint64_t value, unsigned count) {
    for (; count > 0; --count, ++at_) {
      if (at_ % 8 == 0) bytes_.push_back(0);
      const auto bit = count > 64 ? 0 : value >> (count - 1) & 1U;
      bytes_.back() |= static_cast<std::uint8_t>(bit << (7 - at_ % 8));
    }
  }
  void write_ue(unsigned value) {
    const auto width = static_cast<unsigned>(std::bit_width(value + 1));
    write(0, width - 1);
    write(value + 1, width);
  }
  std::vector<std::uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

}  // namespace transcoder
