#pragma once

#include <cstdint>

#include "base/units.h"
#include "media/frame.h"

namespace segments {

/// Where media time is cut, in all groups of a stream alike: at the ticks of their keyframe clock
/// (transcoder::KeyframeClock), and each segment into parts. Both above zero.
struct SegmentClock {
  base::Duration segment;
  base::Duration part;

  std::uint64_t number(media::Pts pts) const { return static_cast<std::uint64_t>(pts / segment); }
  media::Pts begin(std::uint64_t number) const {
    return static_cast<std::int64_t>(number) * segment;
  }
  /// Counts from the segment's begin.
  unsigned part_at(media::Pts pts) const { return static_cast<unsigned>(pts % segment / part); }
  /// Of a segment; the last one may be shorter.
  unsigned parts() const { return part_at(segment - base::Duration{1}) + 1; }
};

}  // namespace segments
