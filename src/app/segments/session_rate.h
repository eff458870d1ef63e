#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "abr/transfer/transfer_policy.h"
#include "abr/transfer/transfer_rate.h"
#include "base/units.h"
#include "segments/cmsd.h"

namespace app {

/// Decides the rate of one segment player from the state of its connections, usually one for video
/// and one for audio. No I/O, no clock. Not thread-safe.
class SessionRate {
 public:
  using ConnectionId = std::uint64_t;

  /// The state of one connection.
  struct ConnectionReport {
    std::optional<base::BitRate> throughput;  ///< abr::TransferRate::value
    base::Time measured{};                    ///< abr::TransferRate::measured
    bool silent = false;                      ///< abr::TransferRate::is_silent
    bool busy = false;                        ///< data is under way
    base::Duration taking{};  ///< the time since the last report, if video was acknowledged
    base::Duration late{};    ///< see abr::TransferPolicy
    base::Duration rtt{};     ///< zero until it is measured
    bool lost = false;        ///< packets were lost since the last report
    /// Capture time of the newest frame acknowledged since the last report; zero without one.
    base::Time captured{};
  };

  /// `part`: segments::SegmentClock::part.
  SessionRate(const abr::RateLimits& limits, const abr::Transport& transport, base::Duration part)
      : transport_{transport}, policy_{limits, part} {}

  /// Takes a report, and returns the rate that the player can take now.
  abr::Decision report(ConnectionId connection, const ConnectionReport& report, base::Time now);
  /// See abr::TransferPolicy.
  void loaded(base::Duration media, base::Duration waited) { policy_.loaded(media, waited); }
  /// The connection has ended, and has measured this.
  void forget(ConnectionId connection, const abr::TransferRate& measured);
  /// For a new connection: knows what the connections before it have measured.
  abr::TransferRate transfer_rate() const;

  void set_limits(const abr::RateLimits& limits) { policy_.set_limits(limits); }

  base::BitRate rate() const { return policy_.rate(); }
  /// The last known throughput of all connections together, if there has been one.
  std::optional<base::BitRate> throughput() const { return throughput_; }
  base::Duration late() const;  ///< that of the latest connection
  /// CMSD for a response on `connection`.
  segments::CmsdDynamic dynamics(ConnectionId connection, base::BitRate audio,
                                 base::Time now) const;

 private:
  struct Connection {
    ConnectionReport report;
    base::Time lost_at{};
  };

  std::optional<base::BitRate> current_throughput(base::Time now) const;
  bool is_silent() const;  ///< one of the connections is

  const abr::Transport transport_;
  abr::TransferPolicy policy_;
  std::map<ConnectionId, Connection> connections_;
  std::optional<base::BitRate> throughput_;
  abr::TransferRate ended_;  ///< of the connection that ended last
};

}  // namespace app
