#pragma once

#include <deque>

#include "abr/comparison/send_log.h"
#include "abr/rate_policy.h"

namespace abr {

/// Vidaptive, for comparison: Karimi et al., "Tight Loops, Smooth Streams: Responsive Congestion
/// Control for Real-Time Video" (arXiv 2309.16869). Only its abstract, the authors' script of their
/// talk and summaries could be read. So this is a reconstruction from the crate `vidaptive` 0.1.0
/// (github.com/ShaJaPas/vidaptive), which follows the paper, and has its constants. A congestion
/// control decides how fast to send, and the encoder follows at a distance:
///
///   congestion control   Copa (Arun and Balakrishnan, NSDI 2018), delta 0.9, as in the evaluation.
///                        CC-Rate = window / RTT. Frames are paced with CC-Rate
///   service time d       of a frame: from when its first byte may be sent to its last byte sent
///   target               alpha * CC-Rate. Once a second alpha becomes 33 ms / (90th percentile of
///                        d * CC-Rate / target of the last second), from 0.05 to 1, with weight
///                        0.25
///   pause                nothing is encoded while the oldest unsent byte is older than 33 ms
///
/// What TCP changes: TCP's own window stays, as BBR restarts if it is set; Copa's window limits by
/// the pace. The ACKs of a frame count when it is complete, and show how long its service took.
/// There are no dummy packets while the encoder has nothing: padding cannot be taken back from TCP,
/// and would delay the next frame. Each frame, sent with CC-Rate, probes in their place. So that an
/// idle window does not grow without proof, CC-Rate is at most twice the highest rate. Data waits
/// in TCP, so a pause is the number of frames that it takes to send it.
class VidaptivePolicy : public RatePolicy {
 public:
  explicit VidaptivePolicy(const RateLimits& limits) : limits_{limits}, rate_{limits.start} {}

  Decision decide(const Observation& observation, const PathState& path, base::Time now) override;

 private:
  struct Sample {
    base::Time at{};
    double seconds = 0;
  };

  void note_round_trip(const Observation& observation, base::Time now);
  void note_service(const DeliveredFrame& frame);
  void update_window(const Observation& observation, base::ByteCount acked, base::Time now);
  void update_velocity(const Observation& observation, base::Time now);
  void update_alpha(base::Time now);
  base::BitRate send_rate(const Observation& observation) const;
  base::Duration pause(const Observation& observation, base::BitRate send_rate, base::Time now);

  const RateLimits limits_;
  base::BitRate rate_;
  bool started_ = false;
  // Copa.
  double window_ = 0;  ///< bytes, 0 until there is a round trip
  bool starting_ = true;
  double velocity_ = 1;
  bool rises_ = true;
  int same_direction_ = 0;   ///< round trips
  double round_window_ = 0;  ///< when the round trip began
  base::Time round_began_{};
  std::deque<Sample> round_trips_;  ///< of the last 10 s
  double standing_ = 0;             ///< seconds: shortest of the newest round trips
  double shortest_ = 0;             ///< seconds, of the last 10 s
  base::ByteCount delivered_;
  // The encoder's target.
  double alpha_ = 1;
  std::deque<Sample> ratios_;    ///< CC-Rate / target, when it was decided
  std::deque<Sample> services_;  ///< service time * CC-Rate / target, of the last second
  base::Time last_acked_{};
  base::Time alpha_at_{};  ///< its last change
  SendLog offered_;
};

}  // namespace abr
