#pragma once

#include <optional>

#include "base/units.h"
#include "transcoder/time/burst_detector.h"
#include "transcoder/time/pacer.h"

namespace transcoder {

/// Decides when to release the pictures and audio of a live source:
///
///              a second burst begins (BurstDetector)
///   at once ---------------------------------------> spaced by their timestamps, as late as the
///           <---------------------------------------   first picture of a burst
///              data have come evenly for kMemory
///
/// After the way back what has piled up is released at once, and viewers are live again. The wait
/// is as long as the pause between bursts; pausing longer than silence_timeout ends the connection
/// before. No I/O, no clock.
class LivePacer {
 public:
  /// The release time of the picture with the timestamp `source`. `now` is when it was read, and
  /// `even_since` when data last came after a pause of kMaxPause or more.
  base::Time picture(base::Duration source, base::Time now, base::Time even_since);
  /// The release time of audio.
  base::Time audio(base::Duration source, base::Time now) const;
  /// How long pictures wait for their release; 0 if that is at once.
  base::Duration wait() const { return wait_; }

  /// Half of what Dejitter evens out, so that a source near its limit does not come and go.
  static constexpr base::Duration kMaxPause = std::chrono::milliseconds{250};

 private:
  BurstDetector bursts_;
  std::optional<Pacer> pacer_;  ///< while pictures are spaced
  base::Time paced_since_{};
  base::Duration lateness_{};  ///< of the last release
  base::Duration wait_{};
};

}  // namespace transcoder
