#pragma once

#include <optional>

#include "base/units.h"
#include "transcoder/time/clock_anchor.h"

namespace transcoder {

/// When pictures that can be read faster than they play are let out: the first at once, the others
/// as far apart as their timestamps. A late source is caught up with; one that is more than
/// kMaxLate behind is played from now on instead. Pure; `now` is passed in.
class Pacer {
 public:
  enum class Source {
    kFile,    ///< the source has no clock of its own: its timestamps are trusted whatever they say
    kNetwork  ///< someone plays it to us: follow his clock, and his jumps
  };

  explicit Pacer(Source source) : source_{source} {}

  /// When the picture with the timestamp `source` leaves; `now` is when it was read.
  base::Time picture(base::Duration source, base::Time now);
  /// The same for audio, which follows the pictures' clock; empty before the first picture.
  std::optional<base::Time> audio(base::Duration source) const;

  /// Beyond this a viewer would rather see a jump than a fast-forward.
  static constexpr base::Duration kMaxLate = std::chrono::seconds{1};
  /// A network source's gap that is longer than this is a jump of its clock.
  static constexpr base::Duration kMaxHold = std::chrono::seconds{10};

 private:
  bool jumped(base::Duration ahead) const;

  const Source source_;
  bool anchored_ = false;
  ClockAnchor anchor_;
};

}  // namespace transcoder
