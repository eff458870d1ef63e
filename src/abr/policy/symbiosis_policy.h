#pragma once

#include <optional>

#include "abr/policy/arrival_check.h"
#include "abr/policy/drain_check.h"
#include "abr/policy/itcp_policy.h"
#include "abr/policy/pacing_control.h"
#include "abr/policy/picture_pause.h"
#include "abr/policy/train_padding.h"
#include "abr/policy/window_control.h"
#include "abr/rate_policy.h"

namespace abr {

/// The default policy: the rate follows the capacity of the path (PathModel), frame by frame. Each
/// mode is a function:
///
///   keep_up            the player reads too slowly: the rate that it reads
///   fall_back          as long as no frame has shown the capacity: the rule of ItcpPolicy
///   timeout            after a REXMT event: a low rate, and queued data is discarded
///   fast_retransmit    after a DUPACK event: at most the rate of the window that TCP keeps
///   share              cross traffic: the rate that TCP's congestion window wins
///     yield              down, when the window holds data back
///     take               up, to what the window has room for, at most about half of the path, as
///                        long as more arrives (ArrivalCheck)
///     (DrainCheck)       down for a moment, to see whether the others are still there
///   follow             otherwise: the capacity less headroom
///     fall               down at once, and lower still until the backlog is drained
///     rise               up to the capacity at once if trains agree on it, else in small steps
///     rise_blindly       up by kBlindStep while frames pass quickly, if no recent frame shows the
///                        capacity
///
/// With a backlog, frames are skipped, and discarded once they are late. At the lowest rate the
/// picture pauses while the path has no room for it besides the audio (PicturePause). No rise
/// exceeds the rate of a token bucket. A rate is verified when a frame sent at it has had the time
/// to be acknowledged; rise() goes no further than kVerifiedStep times a verified rate.
class SymbiosisPolicy : public RatePolicy {
 public:
  /// `itcp`: settings of the rule that applies until a frame has shown the capacity.
  SymbiosisPolicy(const RateLimits& limits, const ItcpSettings& itcp)
      : limits_{limits}, rate_{limits.start}, fallback_{itcp, limits} {}

  Decision decide(const Observation& observation, const PathState& path, base::Time now) override;
  void set_limits(const RateLimits& limits) override;

 private:
  /// The inputs of one decision.
  struct Moment {
    const Observation& seen;
    const PathState& path;
    base::Time now;
    base::Duration backlog;  ///< the path's, as time at its rate
    bool quiet;              ///< next to nothing waits
  };

  Moment moment(const Observation& observation, const PathState& path, base::Time now) const;
  Decision choose(const Moment& moment);
  Decision fall_back(const Moment& moment);
  Decision timeout(const Moment& moment);
  Decision keep_up(const Moment& moment);
  std::optional<Decision> fast_retransmit(const Moment& moment);
  Decision share(const Moment& moment);
  Decision yield(const Moment& moment);
  Decision take(const Moment& moment);
  Decision follow(const Moment& moment);
  Decision fall(const Moment& moment, base::BitRate wanted);
  Decision rise(const Moment& moment, base::BitRate wanted);
  Decision rise_blindly(const Moment& moment);
  Decision step(const Moment& moment, base::BitRate rate);
  Decision set(base::BitRate rate, Reason reason);
  Decision hold() const { return {rate_, Reason::kHold}; }
  Decision relieved(const Moment& moment, Decision decision, base::Duration backlog) const;
  void give_way_to_audio(const Moment& moment, Decision& decision);
  void hold_back(const Moment& moment);
  base::BitRate wanted(const Moment& moment) const;
  base::BitRate sustainable(const Moment& moment) const;
  base::BitRate ceiling(const Moment& moment) const;
  base::BitRate most_beside_others(const Moment& moment) const;

  RateLimits limits_;
  base::BitRate rate_;
  base::BitRate verified_;  ///< the rate before the steps that are not verified yet
  base::BitRate resume_;    ///< target of the first blind step after a fall
  ItcpPolicy fallback_;
  bool started_ = false;
  base::Time hold_until_{};     ///< no rise before
  base::Time verified_at_{};    ///< when the last step is verified
  base::Time discard_again_{};  ///< no discard before
  DrainCheck drain_check_;
  ArrivalCheck arrival_check_;
  base::BitRate before_loss_;  ///< the rate when the last recovery began
  bool recovering_ = false;
  TrainPadding padding_;
  WindowControl window_;
  PacingControl pacing_;
  PicturePause picture_pause_;
};

}  // namespace abr
