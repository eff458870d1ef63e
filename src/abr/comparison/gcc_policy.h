#pragma once

#include <deque>
#include <optional>

#include "abr/rate_policy.h"

namespace abr {

/// Google Congestion Control's delay-based part on the times of acknowledgement, for comparison
/// (Carlucci et al. 2016; draft-ietf-rmcat-gcc-02; constants as in gst-plugins-rs' rtpgccbwe,
/// net/rtp/src/gcc/imp.rs). A group of packets is a frame's head. The delay's gradient is
/// filtered by Kalman's filter and compared with a threshold that adapts itself:
///
///   over it for 10 ms    overuse    rate = min(0.95 rate, 0.85 received), every 100 ms at most
///   below minus it       underuse   hold: the queue drains
///   else                 normal     8 % per second; near the rate of the last decrease half a
///                                   packet per response time
///
/// There is no loss-based part: TCP repairs losses, and what it does not deliver it does not
/// report.
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
  // Kalman's filter, ms.
  double estimate_ = 0;
  double error_ = 0.1;
  double noise_ = 50;
  int samples_ = 0;
  double threshold_ = 12.5;  // ms
  std::optional<base::Time> over_since_;
  std::deque<Received> window_;  ///< of the last second
  base::Time decrease_at_{};
  base::Time increased_{};
  double mean_ = 0;       ///< of the received rate at decreases, bit/s; 0: none
  double deviation_ = 0;  ///< likewise
};

}  // namespace abr
