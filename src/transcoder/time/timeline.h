#pragma once

#include <cstdint>
#include <optional>

#include "media/frame.h"
#include "transcoder/time/clock_anchor.h"

namespace transcoder {

/// Puts a source's timestamps on the stream's timeline: one offset for picture and audio, set so
/// that a picture's pts is its capture time since the epoch. Pictures strictly increase, over
/// jumps of the source's clock, loops and reconnects. Pure: times are passed in.
///
///                 first picture                      arrival jitter, drift
///   unanchored ------------------> settling --1 s--> anchored: the offset moves <= 500 ppm
///       ^                         ^  early pictures   |
///       | restart()               |  pull the offset  | clock backwards, or > 1 s off: a jump
///       +-- (new connection) -----+-------------------+
class Timeline {
 public:
  explicit Timeline(base::Time epoch) : epoch_{epoch} {}

  /// The pts of a picture; empty: out of order, to be dropped.
  std::optional<media::Pts> picture(base::Duration source, base::Time captured);
  /// The pts of audio; empty while there is no picture to be in time with.
  std::optional<media::Pts> audio(base::Duration source, base::Time captured) const;
  /// The pts of a picture made by ourselves; empty when the source's have got as far already.
  std::optional<media::Pts> repeat(base::Time now);

  /// The source connects anew: its clock says nothing about the one before.
  void restart() { anchored_ = false; }

  /// Times that the source's clock jumped.
  std::uint64_t jumps() const { return jumps_; }

 private:
  bool jumped(base::Duration source, base::Duration early) const;
  void anchor(base::Duration source, media::Pts wall);
  std::optional<media::Pts> advance_to(media::Pts pts);

  const base::Time epoch_;
  bool anchored_ = false;
  ClockAnchor anchor_;
  media::Pts settled_{};  // when the anchor stops being pulled
  base::Duration last_source_{};
  std::optional<media::Pts> last_;
  std::uint64_t jumps_ = 0;
};

}  // namespace transcoder
