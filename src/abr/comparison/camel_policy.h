#pragma once

#include <deque>
#include <optional>

#include "abr/comparison/gcc_policy.h"
#include "abr/rate_policy.h"

namespace abr {

/// Camel, for comparison: Liu et al., "Camel: Frame-Level Bandwidth Estimation for Low-Latency Live
/// Streaming under Video Bitrate Undershooting", WWW 2026 (arXiv 2602.09500). Only its abstract and
/// summaries could be read. The rules and constants are those of the authors' implementation,
/// github.com/pku-netvideo/burst-camel 0f746c8 (doc/ALGORITHM.md and the files named below):
///
///   bandwidth_estimator.c   B = bytes after the first packet / (last arrival - first arrival) of a
///                           frame, which is sent in a burst; moving average of weight 0.1
///   congestion_detector.c   slope of the first packet's delay over the data in flight, by linear
///                           regression; above 0.5 us per byte: gamma *= 0.95, at least 0.2;
///                           otherwise gamma = 1
///   sender.c                rate and pace: gamma * B; the encoder follows changes of 5 %, not more
///                           often than every 200 ms
///   burst_controller.c      a burst of 12 KB, then the pace. Every 5 s 2 KB more, up to 64 KB; or
///                           2 KB less, down to 2 KB, if a part of the burst loses 10 % more than
///                           the best part. With such losses at 2 KB: GCC
///
/// The regression has their window of 8 frames. With their default, 5 s, gamma falls for up to 5 s
/// after a congestion has ended, and the rates are half as high (`sim_family --tuning`).
///
/// What TCP changes: ACKs stand for arrivals, and a frame's head for its first packet; before a
/// frame that is too short for a head, the least round trip stands for it. Which part of a burst
/// was lost is not known: the loss of all data stands for the worst part's, and the best part has
/// none. TCP's pacing has no bursts: the pace is the mean of burst and pace over a frame. The limit
/// of the data in flight, gamma * B * least delay, is left to TCP: BBR restarts if its window is
/// set, and where TCP sends a frame in several windows, B is the rate of the window, which falls on
/// and on.
class CamelPolicy : public RatePolicy {
 public:
  explicit CamelPolicy(const RateLimits& limits) : limits_{limits}, rate_{limits.start} {}

  Decision decide(const Observation& observation, const PathState& path, base::Time now) override;

 private:
  /// Of one frame.
  struct Sample {
    double in_flight = 0;  ///< bytes, up to the first packet
    double delay = 0;      ///< us, of the first packet
  };
  struct InFlight {
    base::Time at{};
    base::ByteCount bytes;
  };

  void note(const DeliveredFrame& frame, const Observation& observation);
  double slope() const;
  void control_burst(const Observation& observation, base::Time now);
  Decision fall_back(const Observation& observation, const PathState& path, base::Time now);
  base::BitRate pace(const Observation& observation) const;

  const RateLimits limits_;
  base::BitRate rate_;
  bool started_ = false;
  double bandwidth_ = 0;  ///< bit/s of TCP payload, 0 until measured
  double gamma_ = 1;
  std::deque<Sample> samples_;      ///< of the last 8 frames
  std::deque<InFlight> in_flight_;  ///< when frames left
  base::Time retarget_at_{};
  // The bursting length controller.
  base::ByteCount burst_{12 * 1024};
  base::Time burst_at_{};  ///< its last change
  base::ByteCount delivered_;
  std::uint32_t retransmits_ = 0;
  std::optional<GccPolicy> gcc_;  ///< while falling back
};

}  // namespace abr
