#pragma once

#include <deque>
#include <optional>

#include "abr/rate_policy.h"

namespace abr {

/// OBS Studio's "dynamic bitrate" (plugins/obs-outputs/rtmp-stream.c, f86e9c1d5), for comparison.
/// What waits in the application for 200 ms is congestion: then the rate becomes what was sent in
/// the last 1 to 2 s, in steps of 100 kbit/s; or, where that is no less, the rate before the last
/// step up. Every 4 s a tenth of the maximum is restored, without a look at the path. Here as
/// there, what TCP holds is not seen.
class DbrPolicy : public RatePolicy {
 public:
  explicit DbrPolicy(const RateLimits& limits) : limits_{limits}, rate_{limits.start} {}

  Decision decide(const Observation& observation, const PathState& path, base::Time now) override;

 private:
  struct Sent {
    base::Time at{};
    base::ByteCount total;  ///< of the connection, taken by TCP
  };

  void note_sent(const Observation& observation, base::Time now);
  std::optional<base::BitRate> goodput(const Observation& observation) const;
  Decision cut(const Observation& observation, base::Time now);

  const RateLimits limits_;
  base::BitRate rate_;
  std::optional<base::BitRate> before_raise_;  ///< the last change was a raise
  std::deque<Sent> sent_;                      ///< of the last kLongest
  base::Time restore_at_{};
  bool started_ = false;
};

}  // namespace abr
