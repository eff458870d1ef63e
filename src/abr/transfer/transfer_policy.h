#pragma once

#include <optional>

#include "abr/rate_policy.h"

namespace abr {

/// The rule for a player that loads segments and buffers some before it shows them. The rate is a
/// share of the rate of its transfers: less if much of the time passes between the transfers, in
/// round trips and retransmissions. It falls at once and rises in steps. While the player waits for
/// data that is ready it is lower still, and afterwards what it would have been. No I/O, no clock;
/// one instance per viewer.
class TransferPolicy {
 public:
  /// `part`: duration of one load. The player buffers three or more of them.
  TransferPolicy(const RateLimits& limits, base::Duration part)
      : limits_{limits}, part_{part}, sustained_{limits.start}, rate_{limits.start} {}

  struct Transfers {
    std::optional<base::BitRate> rate;  ///< TransferRate::value()
    bool silent = false;                ///< TransferRate::is_silent()
    /// How long the oldest data that is not acknowledged has been ready to load.
    base::Duration late{};
  };

  Decision decide(const Transfers& transfers, const Transport& transport, base::Time now);
  /// The player has loaded `media` of video with one request, and for `waited` of that time nothing
  /// could arrive.
  void loaded(base::Duration media, base::Duration waited);
  /// The operator has changed the limits: the rate is within them at once.
  void set_limits(const RateLimits& limits);
  base::BitRate rate() const { return rate_; }
  bool is_late(base::Duration late) const;

 private:
  double transfer_share() const;
  double drain(base::Duration late) const;
  void follow(base::BitRate share, base::Duration late, base::Time now);

  RateLimits limits_;
  const base::Duration part_;
  base::BitRate sustained_;  ///< the rate of a player that does not wait
  base::BitRate rate_;
  base::Time changed_{};  ///< last change of `sustained_`
  double waiting_ = 0;    ///< share of the media's time in which nothing could arrive
};

}  // namespace abr
