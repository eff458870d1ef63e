#pragma once

#include <deque>

#include "abr/comparison/send_log.h"
#include "abr/rate_policy.h"

namespace abr {

/// Pudica, for comparison: Wang et al., "Pudica: Toward Near-Zero Queuing Delay in Congestion
/// Control for Cloud Gaming", NSDI 2024. Sections and equations are those of the paper. It
/// estimates for which share of its interval a frame keeps the bottleneck busy, the bandwidth
/// utilization ratio: R = (D - Dmin) / L (1), with the frame's delay D and interval L.
///
///   4.1  pace    a frame is sent within L / rho, rho = 1.25 / min(R, 1) (2): slowly, so that it
///                meets others' data, and a little faster than the bottleneck
///   4.2  R of the last 200 ms (6; weights: appendix B)
///          <= 0.85   B *= 1 + 0.3 (0.925 - R) / R (7, 8), once per feedback
///          <= 1      B += (Bmax + 2^tau / log B) 0.05 / 2 - 0.05 B (9, 10), for fairness
///   4.3  R of the newest frames
///          > 1, or as late without an ACK   0.85 B for one frame
///          > 1 three times   B = 0.85 received - queue / 200 ms (11), until R <= 1: B = received
///
/// The paper does not say in which unit tau counts frames, how the step of (9) is bounded, and
/// which delay without an ACK is too long. The first two are as in github.com/toyess-37/pudica,
/// which follows the paper: seconds, and -1 Mbit/s to 0.05 B. The third is ours: that of R = 1.
/// Bmax is the highest rate of the settings.
///
/// What TCP changes: an ACK stands for the arrival. There are no probe packets after a frame (3 to
/// 5), as they would be part of the stream. A frame that TCP or the server still holds has not been
/// paced, so the pace is that of all unsent data, and it counts as queue in (11). TCP repairs
/// losses.
///
/// Two readings are chosen because they serve it best on the links of `sim_family --tuning`: data
/// that fills the path is no queue in (11), and the jitter of ACKs is part of Dmin. Otherwise
/// delayed and bunched ACKs pass for congestion. With it, a queue of some ms may pass for jitter.
class PudicaPolicy : public RatePolicy {
 public:
  explicit PudicaPolicy(const RateLimits& limits) : limits_{limits}, rate_{limits.start} {}

  Decision decide(const Observation& observation, const PathState& path, base::Time now) override;

 private:
  struct Sample {
    base::Time at{};
    double ratio = 0;  ///< R of the frame
    double mbps = 0;   ///< rate of the frame, TCP payload
  };

  void note(const DeliveredFrame& frame, const Observation& observation, base::Duration least);
  void note_congested(const DeliveredFrame& frame, const Observation& observation,
                      base::Duration least);
  void adapt(const Observation& observation);
  double smoothed(const Observation& observation) const;
  base::BitRate received(base::Time now) const;
  void set_rate(base::BitRate rate, base::Time now);

  const RateLimits limits_;
  base::BitRate rate_;    ///< B
  base::BitRate served_;  ///< the newest decision's: B, or less for a frame
  bool started_ = false;
  double ratio_ = 1;            ///< R of the newest frame
  std::deque<Sample> samples_;  ///< of the last 200 ms
  SendLog sent_;
  base::Time adjusted_at_{};     ///< B has its value since
  base::Time tau_began_{};       ///< of tau
  base::Time fallback_until_{};  ///< one frame is smaller
  // Of the congestion, from the first frame with R > 1.
  int congested_ = 0;  ///< frames in a row
  bool draining_ = false;
  base::Time onset_{};
  base::ByteCount received_;
};

}  // namespace abr
