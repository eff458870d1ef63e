#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "abr/transfer/transfer_policy.h"
#include "base/units.h"
#include "segments/cmsd.h"

namespace app {

/// The rate of one segment player, from what is seen on the connections that he loads by: two as a
/// rule, one for frames and one for audio. Pure.
class SessionRate {
 public:
  using ConnectionId = std::uint64_t;

  /// Of one connection.
  struct ConnectionReport {
    std::optional<base::BitRate> carries;  ///< abr::TransferRate::value
    base::Time measured{};                 ///< abr::TransferRate::measured
    bool busy = false;                     ///< something is under way
    base::Duration late{};                 ///< see abr::TransferPolicy
    base::Duration rtt{};                  ///< zero: not measured yet
    bool lost = false;                     ///< a congestion event has come
    base::Time captured{};  ///< of the newest frame acknowledged; zero: none since the last time
  };

  /// `part`: segments::SegmentClock::part.
  SessionRate(const abr::RateLimits& limits, const abr::Transport& transport, base::Duration part)
      : transport_{transport}, policy_{limits, part} {}

  /// What the player can take now.
  abr::Decision report(ConnectionId connection, const ConnectionReport& report, base::Time now);
  void forget(ConnectionId connection) { connections_.erase(connection); }

  base::BitRate rate() const { return policy_.rate(); }
  /// What the path carried when that was known last. Empty: never yet.
  std::optional<base::BitRate> carried() const { return carried_; }
  base::Duration late() const;
  /// What a response on `connection` tells the player.
  segments::CmsdDynamic dynamics(ConnectionId connection, base::BitRate audio,
                                 base::Time now) const;

 private:
  struct Connection {
    ConnectionReport report;
    base::Time lost_at{};
  };

  std::optional<base::BitRate> carries(base::Time now) const;

  const abr::Transport transport_;
  abr::TransferPolicy policy_;
  std::map<ConnectionId, Connection> connections_;
  std::optional<base::BitRate> carried_;
};

}  // namespace app
