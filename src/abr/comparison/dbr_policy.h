#pragma once

#include <deque>
#include <optional>

#include "abr/rate_policy.h"

namespace abr {

/// OBS Studio's "dynamic bitrate" (plugins/obs-outputs/rtmp-stream.c, f86e9c1d5), for comparison.
/// 200 ms of data queued in the application is congestion: the rate becomes the rate sent in the
/// last 1 to 2 s, in steps of 100 kbit/s; if that is not lower, the rate before the last step up.
/// Every 4 s the rate rises by a tenth of the maximum, whatever the path does. As in OBS, data that
/// TCP holds does not count.
class DbrPolicy : public RatePolicy {
 public:
  explicit DbrPolicy(const RateLimits& limits) : limits_{limits}, rate_{limits.start} {}

  Decision decide(const Observation& observation, const PathState& path, base::Time now) override;

 private:
  struct Sent {
    base::Time at{};
    base::ByteCount total;  ///< taken by TCP since the connection began
  };

  void note_sent(const Observation& observation, base::Time now);
  std::optional<base::BitRate> goodput(const Observation& observation) const;
  Decision cut(const Observation& observation, base::Time now);

  const RateLimits limits_;
  base::BitRate rate_;
  std::optional<base::BitRate> before_raise_;  ///< set if the last change was a raise
  std::deque<Sent> sent_;                      ///< of the last kMaxEstimateTime
  base::Time restore_at_{};
  bool started_ = false;
};

}  // namespace abr
