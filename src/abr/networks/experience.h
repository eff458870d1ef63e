#pragma once

#include <chrono>
#include <optional>

#include "base/units.h"

namespace abr {

/// Quality of experience as QoE_log (Mao, Netravali and Alizadeh 2017, Pensieve, section 5.1), a
/// sum over seconds:
///
///   ln(share) - |its change since the second before| - kLatePenalty * time in which it was late
///
/// `share` is the viewer's rate as a share of the highest that the stream allows, so 0 per second
/// is the best value. The paper divides by the lowest rate instead, which adds a constant.
inline constexpr double kLatePenalty = 2.66;

/// Sums what one viewer experiences. No I/O, no clock; one thread.
class Experience {
 public:
  struct Sum {
    double seconds = 0;
    double quality = 0;  ///< over all of them, not per second
    Sum& operator+=(const Sum& other) {
      seconds += other.seconds;
      quality += other.quality;
      return *this;
    }
  };

  /// `share`: since the last update. `late`: the picture stands, because newer frames have
  /// not arrived in time. Longer gaps than kLongestGap count for nothing: nobody watched.
  void update(double share, bool late, base::Time now);
  /// Returns the sum of all whole seconds since the last call.
  Sum take();

  /// Viewers are sampled every two seconds at least (SampleInterval).
  static constexpr base::Duration kLongestGap = std::chrono::seconds{3};

 private:
  void finish_second();

  std::optional<base::Time> updated_;
  std::optional<double> before_;  ///< ln(share) of the second before
  base::Duration passed_{};       ///< of the present second
  base::Duration late_{};         ///< of that
  double shares_ = 0;             ///< share x seconds
  Sum sum_;
};

}  // namespace abr
