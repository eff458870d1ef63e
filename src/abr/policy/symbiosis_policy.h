#pragma once

#include <optional>

#include "abr/policy/itcp_policy.h"
#include "abr/rate_policy.h"

namespace abr {

/// The default: the rate follows what the path is believed to carry (PathModel), frame by
/// frame.
///
///   something waits     capacity, or what is being served, less headroom and what drains the
///                       backlog in kDrain; frames are skipped or discarded where they are late
///   nothing waits       straight to the capacity where trains know it, by steps of kStep at most;
///                       small steps where they disagree; blind ones where there are none, as long
///                       as frames pass quickly, or a frame is lengthened to make a train
///   others queue too    what TCP's window has room for, about half of the path at most
///   REXMT               little, until something is acknowledged; what waits is discarded
///   DUPACK              no more than the window that TCP keeps after it
///   a token bucket      what it lets through
///   nothing tells       the rule of ItcpPolicy
///
/// But beside others, and by ItcpPolicy's rule, no step goes beyond kStep times a rate that is
/// verified: a frame sent at it has had the time to be acknowledged.
class SymbiosisPolicy : public RatePolicy {
 public:
  /// `itcp`: of the rule that holds as long as no frame's times are known.
  SymbiosisPolicy(const RateLimits& limits, const ItcpSettings& itcp)
      : limits_{limits}, rate_{limits.start}, fallback_{itcp, limits} {}

  Decision decide(const Observation& observation, const PathState& path, base::Time now) override;

 private:
  /// What each of a decision's parts needs.
  struct Moment {
    const Observation& seen;
    const PathState& path;
    base::Time now;
    base::Duration waits;  ///< the backlog, as time at the path's rate
    bool quiet;            ///< next to nothing waits
  };

  Moment moment(const Observation& observation, const PathState& path, base::Time now) const;
  Decision choose(const Moment& moment);
  Decision fall_back(const Moment& moment);
  Decision timeout(const Moment& moment);
  std::optional<Decision> fast_retransmit(const Moment& moment);
  Decision share(const Moment& moment);
  Decision yield(const Moment& moment);
  Decision take(const Moment& moment);
  Decision follow(const Moment& moment);
  Decision fall(const Moment& moment, base::BitRate wanted);
  Decision rise(const Moment& moment, base::BitRate wanted);
  Decision step(const Moment& moment, base::BitRate rate);
  Decision rise_blindly(const Moment& moment);
  static Decision relieved(Decision decision, base::Duration waits);
  Decision set(base::BitRate rate, Reason reason);
  Decision hold() const { return {rate_, Reason::kHold}; }
  void hold_back(const Moment& moment);
  base::BitRate wanted(const Moment& moment) const;
  base::BitRate sustainable(const Moment& moment) const;
  base::BitRate ceiling(const Moment& moment) const;
  static bool roomy(const Moment& moment);
  static bool idles(const Moment& moment);
  static bool trains_disagree(const Moment& moment);
  base::ByteCount padding(const Moment& moment);
  void note_probe(const Moment& moment);
  void earn_padding(const Observation& observation);
  base::BitRate pace(const Moment& moment);
  std::uint32_t window(const Moment& moment, bool leapt);
  std::uint32_t renewal(const Moment& moment);

  const RateLimits limits_;
  base::BitRate rate_;
  base::BitRate verified_;  ///< before the steps that are not
  base::BitRate resume_;    ///< after falls: the first step leads so far
  ItcpPolicy fallback_;
  bool started_ = false;
  base::Time hold_until_{};      ///< not up before
  base::Time step_at_{};         ///< the last step is verified
  base::Time probed_at_{};       ///< the newest padding
  base::Time window_at_{};       ///< the same window is not given before
  base::Time renew_at_{};        ///< BBR is not begun anew before
  base::Time congested_at_{};    ///< last fall
  base::Time discard_at_{};      ///< none before
  base::Time lost_at_{};         ///< last DUPACK
  base::Duration probe_wait_{};  ///< where the capacity may be too low, but need not be
  base::BitRate probed_;         ///< the capacity, before the newest padding
  std::uint32_t window_ = 0;     ///< the newest given
  base::ByteCount delivered_;
  base::ByteCount padding_;  ///< that may be sent: kPaddingShare of what was delivered
};

}  // namespace abr
