#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/units.h"

/// Packets between a sender and a receiver: the fields that TCP uses, without contents.
namespace sim {

using Offset = std::uint64_t;  ///< in a connection's byte stream

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
  bool push = false;  ///< the last segment of a write
};

/// The receiver has everything below `cumulative`, and the blocks beyond it. The block with the
/// newest segment comes first (RFC 2018; three fit next to the timestamps).
struct Ack {
  std::size_t flow = 0;
  Offset cumulative = 0;
  std::array<Range, 3> blocks;  ///< unused ones are empty
};

/// IPv4 and TCP with timestamps (RFC 7323).
inline constexpr base::ByteCount kHeaderSize{52};

constexpr base::ByteCount size_of(const Segment& segment) {
  return kHeaderSize + size_of(segment.bytes);
}
constexpr base::ByteCount size_of(const Ack&) { return kHeaderSize; }

constexpr std::uint64_t flow_of(const Segment& segment) { return segment.flow; }
constexpr std::uint64_t flow_of(const Ack& ack) { return ack.flow; }

}  // namespace sim
