#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace fuzz {

/// `bytes` in pieces of 1 to 32 bytes, most of them short. The bytes themselves decide where they
/// are cut, so that an input is nothing but what a reader gets.
inline std::vector<std::string_view> cut(std::string_view bytes) {
  unsigned state = 2166136261;  // FNV-1a, of all bytes, then of its own low byte
  const auto mix = [&](char c) { state = (state ^ static_cast<unsigned char>(c)) * 16777619; };
  for (const char c : bytes) mix(c);
  std::vector<std::string_view> pieces;
  while (!bytes.empty()) {
    mix(static_cast<char>(state >> 24));
    const std::size_t size = 1 + ((state >> 16) % 32 >> (state >> 8) % 6);
    pieces.push_back(bytes.substr(0, size));
    bytes.remove_prefix(pieces.back().size());
  }
  return pieces;
}

}  // namespace fuzz
