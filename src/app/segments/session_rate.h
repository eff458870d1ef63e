#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "abr/transfer/transfer_policy.h"
#include "base/units.h"
#include "segments/cmsd.h"

namespace app {

/// The rate of one segment player, from what is seen on the connections that he loads by: two as a
/// rule, one for pictures and one for sound. Pure.
class SessionRate {
 public:
  using LinkId = std::uint64_t;

  /// Of one connection.
  struct Heard {
    std::optional<base::BitRate> carries;  ///< abr::TransferRate::value
    base::Time measured{};                 ///< abr::TransferRate::measured
    bool busy = false;                     ///< something is under way
    base::Duration late{};                 ///< see abr::TransferPolicy
    base::Duration rtt{};                  ///< zero: not measured yet
    bool lost = false;                     ///< a congestion event has come
    base::Time captured{};  ///< of the newest picture acknowledged; zero: none since the last time
  };

  /// `part`: segments::SegmentClock::part.
  SessionRate(const abr::RateLimits& limits, const abr::Transport& transport, base::Duration part)
      : transport_{transport}, policy_{limits, part} {}

  /// What the player can take now.
  abr::Decision hear(LinkId link, const Heard& heard, base::Time now);
  void forget(LinkId link) { links_.erase(link); }

  base::BitRate rate() const { return policy_.rate(); }
  /// What the path carried when that was known last. Empty: never yet.
  std::optional<base::BitRate> carried() const { return carried_; }
  base::Duration late() const;
  /// What a response on `link` tells the player.
  segments::CmsdDynamic dynamics(LinkId link, base::BitRate sound, base::Time now) const;

 private:
  struct Link {
    Heard heard;
    base::Time lost_at{};
  };

  std::optional<base::BitRate> carries(base::Time now) const;

  const abr::Transport transport_;
  abr::TransferPolicy policy_;
  std::map<LinkId, Link> links_;
  std::optional<base::BitRate> carried_;
};

}  // namespace app
