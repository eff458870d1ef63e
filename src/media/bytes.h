#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace media {

/// Appends the low `count` bytes of `number`, most significant first.
inline void append_number(std::vector<std::uint8_t>& out, std::uint64_t number, std::size_t count) {
  for (std::size_t i = count; i-- > 0;) out.push_back(static_cast<std::uint8_t>(number >> 8 * i));
}

/// Overwrites `out` from `at` on with the low `count` bytes of `number`, most significant first.
inline void put_number(std::span<std::uint8_t> out, std::size_t at, std::uint64_t number,
                       std::size_t count) {
  for (std::size_t i = count; i-- > 0;) out[at++] = static_cast<std::uint8_t>(number >> 8 * i);
}

}  // namespace media
