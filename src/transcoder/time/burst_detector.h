#pragma once

#include <optional>

#include "base/units.h"

namespace transcoder {

/// Recognises a live source that sends its pictures in recurring bursts. The lateness of a picture
/// is its arrival less its timestamp. It rises while nothing arrives, and falls when more than is
/// due arrives at once:
///
///   one burst at the start      falls                  data that waited for the first keyframe
///   one pause of the network    rises, falls           the stream is live again after it
///   a clock that is set         rises or falls
///   bursts                      rises, falls, rises    within kMemory, by more than kMinBurst each
///
/// No I/O, no clock.
class BurstDetector {
 public:
  /// Adds a picture. `now` is when it arrived. Returns true if a second burst begins with it.
  bool add(base::Duration source, base::Time now);

  /// The smallest lateness of the burst before.
  base::Duration earliest() const { return low_; }

  /// Two bursts farther apart are two accidents. Sources that send segments of up to 10 s, twice
  /// and a little more.
  static constexpr base::Duration kMemory = std::chrono::seconds{24};

 private:
  void restart(base::Duration lateness);

  enum class Phase { kUnknown, kHigh, kLow };
  Phase phase_ = Phase::kUnknown;
  std::optional<base::Duration> last_;  ///< lateness
  base::Duration low_{};                ///< smallest since the last rise
  base::Duration high_{};               ///< largest since the last fall
  std::optional<base::Time> rise_;      ///< the last one
};

}  // namespace transcoder
