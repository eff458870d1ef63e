#pragma once

#include <optional>

#include "base/units.h"
#include "transcoder/time/clock_anchor.h"

namespace transcoder {

/// Decides when to release pictures that can be read faster than they play: the first one at once,
/// the others spaced by their timestamps. Catches up after a delay of up to kMaxDelay; after a
/// longer one, plays on from the current time. No I/O, no clock: `now` is passed in.
class Pacer {
 public:
  enum class SourceKind {
    kFile,    ///< has no clock of its own: its timestamps are always trusted
    kNetwork  ///< a sender sets the pace: its clock is followed, with its jumps
  };

  explicit Pacer(SourceKind source) : source_{source} {}

  /// The release time of the picture with the timestamp `source`; `now` is when it was read.
  base::Time picture(base::Duration source, base::Time now);
  /// The release time of audio, on the pictures' clock; nullopt before the first picture.
  std::optional<base::Time> audio(base::Duration source) const;

  /// After a longer delay viewers are served better by a jump than by fast-forward.
  static constexpr base::Duration kMaxDelay = std::chrono::seconds{1};
  /// A longer gap of a network source is a jump of its clock.
  static constexpr base::Duration kMaxGap = std::chrono::seconds{10};

 private:
  bool jumped(base::Duration ahead) const;

  const SourceKind source_;
  bool anchored_ = false;
  ClockAnchor anchor_;
};

}  // namespace transcoder
