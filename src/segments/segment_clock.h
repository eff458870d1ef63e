#pragma once

#include <cstdint>

#include "base/units.h"
#include "media/frame.h"

namespace segments {

/// Where media time is cut, in all groups of a stream alike: at the ticks of their keyframe clock
/// (transcoder::KeyframeClock); and each segment into parts, of as many whole frames or audio
/// frames as come nearest to `part`. Both above zero.
struct SegmentClock {
  base::Duration segment;
  base::Duration part;

  std::uint64_t number(media::Pts pts) const { return static_cast<std::uint64_t>(pts / segment); }
  media::Pts begin(std::uint64_t number) const {
    return static_cast<std::int64_t>(number) * segment;
  }
  /// No part is longer, and none but a segment's last shorter than 85 % of it (RFC 8216bis,
  /// 4.4.4.9), where frames come steadily at one of the usual rates, or every other one of them:
  /// for 400 ms, those are 400 (60, 50, 30, 25, 20, 15, 12.5, 10, 7.5, 5/s) or 417 ms (24, 12/s) of
  /// 420. Nor has then a segment of 2 s a last part of 200 ms or less: hls.js 1.7 takes a segment
  /// that lacks no more for loaded, and waits for what it never asks for.
  base::Duration longest_part() const { return part + part / 20; }
  /// Whether a part that lasts `so_far` is nearer to `part` without what lasts `next`.
  bool ends_part(base::Duration so_far, base::Duration next) const {
    return 2 * so_far + next > 2 * part;
  }
  /// In a segment, whatever lengths its frames have: a part has one that is longer than half of
  /// `part`, or is longer itself.
  std::uint64_t most_parts() const { return static_cast<std::uint64_t>(2 * segment / part) + 2; }
};

}  // namespace segments
