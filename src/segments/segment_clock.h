#pragma once

#include <cstdint>

#include "base/units.h"
#include "media/frame.h"

namespace segments {

/// Cuts media time at the same points in all groups of a stream: into segments at the ticks of
/// their keyframe clock (transcoder::KeyframeClock), and each segment into parts of whole frames
/// whose length is as near to `part` as possible. A segment's number is its media time divided by
/// `segment`, so the numbers go on after a restart, and are the same on another server. A value.
/// REQUIRES: `segment` and `part` are positive; `origin` is a multiple of `segment`.
///
/// Media time 0 is the Unix epoch, for segments of 1 s until 2029 and for longer ones longer. Then,
/// and for shorter ones, it is as many times 2^30 segments later as keep numbers below 2^31 for
/// some years: libavformat computes them with 64 bits, but writes them into URLs as signed 32-bit
/// numbers.
struct SegmentClock {
  base::Duration segment;
  base::Duration part;
  base::Duration origin{};  ///< media time of pts 0

  /// `unix`: the Unix time of pts 0, which is transcoder::StreamClock::origin.
  static SegmentClock at(base::Duration segment, base::Duration part, base::Duration unix) {
    constexpr std::int64_t kStep = std::int64_t{1} << 30;
    constexpr std::int64_t kMaxFirst = 2 * kStep - kStep / 4;  // leaves 4 years at 500 ms
    const std::int64_t number = unix / segment;
    const std::int64_t steps = number > kMaxFirst ? (number - kMaxFirst - 1) / kStep + 1 : 0;
    return {.segment = segment, .part = part, .origin = (number - steps * kStep) * segment};
  }

  std::uint64_t number(media::Pts pts) const {
    return static_cast<std::uint64_t>((pts + origin) / segment);
  }
  /// The pts at which the segment begins.
  media::Pts begin(std::uint64_t number) const {
    return static_cast<std::int64_t>(number) * segment - origin;
  }
  /// How many segments ahead a clock is that is `set` ahead. Rounded up: by such a clock, the
  /// present segment is one that has been begun.
  std::int64_t ahead(base::Duration set) const {
    return (set > base::Duration{} ? set + segment - base::Duration{1} : set) / segment;
  }
  /// The part target. If frames come steadily at a usual rate, or at half of it, no part is longer
  /// and none but a segment's last is shorter than 85 % of it (RFC 8216bis, 4.4.4.9). For parts of
  /// 400 ms it is 420 ms, and parts last 400 ms (60, 50, 30, 25, 20, 15, 12.5, 10, 7.5, 5/s) or
  /// 417 ms (24, 12/s). The last part of a 2 s segment is then longer than 200 ms. It has to be:
  /// hls.js 1.7 takes a segment for loaded if no more is missing, and never asks for the rest.
  base::Duration longest_part() const { return part + part / 20; }
  /// Whether a part that lasts `so_far` is nearer to `part` than with a frame that lasts `next`.
  bool ends_part(base::Duration so_far, base::Duration next) const {
    return 2 * so_far + next > 2 * part;
  }
  /// An upper bound for the parts of a segment, however long its frames are. Every part is longer
  /// than half of `part`, or its frame is.
  std::uint64_t max_parts() const { return static_cast<std::uint64_t>(2 * segment / part) + 2; }
};

}  // namespace segments
