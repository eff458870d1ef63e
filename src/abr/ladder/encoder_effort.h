#pragma once

#include <array>
#include <cstddef>

#include "base/units.h"

namespace abr {

/// Turns idle CPU time into quality: chooses the effort of a stream's encoders. At the same rate
/// each effort gives better pictures than the one below it, for more CPU time. No I/O, no clock;
/// one thread.
///
///   raise by one   if the encoders would have fit at the next effort, with some room, for 5 s
///   lower by one   as soon as they do not fit
///   lower to 0     if frames are late
///   at most kFirst while event loops send frames later, to save time
///
/// Groups come first: the number that the CPUs can run is counted at kFirst, and effort 0 is for a
/// machine that is behind. After an effort was lowered, the next attempt waits, and each time twice
/// as long if the higher effort did not last.
class EncoderEffort {
 public:
  /// CPU time of a frame at each effort, by that at kFirst: x264's presets "superfast", "veryfast",
  /// "faster" and "fast" (bench/presets).
  static constexpr std::array kCosts{0.7, 1.0, 1.5, 2.3};
  static constexpr std::size_t kFirst = 1;

  /// CPUs, in the last window.
  struct Load {
    double own = 0;           ///< used by the stream's encoders
    double one = 0;           ///< used by its largest encoder
    double usable = 0;        ///< available to its encoders
    bool late = false;        ///< frames came too late to be encoded, or the CPUs are full
    bool loops_late = false;  ///< event loops send frames later, to save time
    bool may_raise = true;
  };

  /// If not `chooses`, the effort stays at kFirst.
  explicit EncoderEffort(bool chooses) : chooses_{chooses} {}

  /// Call once in each window. Returns whether the effort has changed.
  bool update(const Load& load, base::Time now);

  std::size_t effort() const { return effort_; }
  double cost() const { return kCosts[effort_]; }

 private:
  bool lower(std::size_t effort, base::Time now);
  bool may_rise(const Load& load) const;

  const bool chooses_;
  std::size_t effort_ = kFirst;
  base::Time calm_since_{};
  base::Time raised_{};
  base::Duration hold_{};
  base::Time hold_until_{};
};

}  // namespace abr
