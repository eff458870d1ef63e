#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace media {

/// Appends the last `count` bytes of a number, the most significant first.
inline void append_number(std::vector<std::uint8_t>& out, std::uint64_t number, std::size_t count) {
  for (std::size_t i = count; i-- > 0;) out.push_back(static_cast<std::uint8_t>(number >> 8 * i));
}

/// Writes them over what is in `out` at `at`.
inline void put_number(std::span<std::uint8_t> out, std::size_t at, std::uint64_t number,
                       std::size_t count) {
  for (std::size_t i = count; i-- > 0;) out[at++] = static_cast<std::uint8_t>(number >> 8 * i);
}

}  // namespace media
