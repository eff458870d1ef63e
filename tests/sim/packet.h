#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/units.h"

/// What travels between a sender and a receiver: only what TCP decides by, no contents.
namespace sim {

using Offset = std::uint64_t;  ///< in a connection's stream of bytes

struct Range {
  Offset begin = 0;
  Offset end = 0;
};

constexpr base::ByteCount size_of(const Range& range) {
  return base::ByteCount{static_cast<std::int64_t>(range.end - range.begin)};
}

/// Data on its way to the receiver.
struct Segment {
  std::size_t flow = 0;
  Range bytes;
  bool push = false;  ///< the last of a write
};

/// What the receiver says: everything below `cumulative` is there, and these blocks beyond it, the
/// one that the newest segment is in first (RFC 2018; three fit beside the time stamps).
struct Ack {
  std::size_t flow = 0;
  Offset cumulative = 0;
  std::array<Range, 3> blocks;  ///< empty ranges: none
};

/// IPv4 and TCP with time stamps (RFC 7323).
inline constexpr base::ByteCount kHeaders{52};

constexpr base::ByteCount size_of(const Segment& segment) {
  return kHeaders + size_of(segment.bytes);
}
constexpr base::ByteCount size_of(const Ack&) { return kHeaders; }

}  // namespace sim
