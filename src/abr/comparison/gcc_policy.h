#pragma once

#include <deque>
#include <optional>

#include "abr/rate_policy.h"

namespace abr {

/// The delay-based part of Google Congestion Control, driven by ACK times, for comparison (Carlucci
/// et al. 2016; draft-ietf-rmcat-gcc-02; constants as in rtpgccbwe of gst-plugins-rs,
/// net/rtp/src/gcc/imp.rs). A frame's head takes the place of a group of packets. A Kalman filter
/// smooths the gradient of the delay, which is compared with an adaptive threshold:
///
///   > threshold for 10 ms   overuse    rate = min(0.95 rate, 0.85 received), once in 100 ms
///   < -threshold            underuse   the rate holds while the queue drains
///   otherwise               normal     the rate rises by 8 % per second, or by half a packet per
///                                      response time near the rate of the last decrease
///
/// There is no loss-based part: TCP repairs losses and does not report them.
class GccPolicy : public RatePolicy {
 public:
  explicit GccPolicy(const RateLimits& limits) : limits_{limits}, rate_{limits.start} {}

  Decision decide(const Observation& observation, const PathState& path, base::Time now) override;

 private:
  enum class Usage { kNormal, kOver, kUnder };
  struct Received {
    base::Time at{};
    base::ByteCount size;
  };

  void note(const DeliveredFrame& frame);
  void filter(double variation);
  void adapt(double gradient, double elapsed);
  void detect(double gradient, base::Time at);
  base::BitRate received() const;
  Decision decrease(const Observation& observation, base::Time now);
  Decision increase(const Observation& observation, base::Time now);

  const RateLimits limits_;
  base::BitRate rate_;
  bool started_ = false;
  std::optional<DeliveredFrame> last_;
  Usage usage_ = Usage::kNormal;
  // Kalman filter, ms.
  double estimate_ = 0;
  double error_ = 0.1;
  double noise_ = 50;
  int samples_ = 0;
  double threshold_ = 12.5;  // ms
  std::optional<base::Time> over_since_;
  std::deque<Received> window_;  ///< of the last second
  base::Time decrease_at_{};
  base::Time increased_{};
  // The received rate at decreases, bit/s. 0: no decrease yet.
  double mean_ = 0;
  double deviation_ = 0;
};

}  // namespace abr
