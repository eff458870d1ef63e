#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tcpinfo/congestion_event.h"
#include "tcpinfo/tcp_sample.h"

namespace tcpinfo {

/// Derives congestion events from the differences between TCP_INFO samples of one connection. Needs
/// no privileges; events are late by at most the sampling period. No I/O, no clock.
///
/// REXMT   total_timeouts grew (Linux 6.7): one event per timeout. Before 6.7: timeouts_in_row
///         grew, or the state became Loss.
/// DUPACK  The state became Recovery; or a recovery began and ended between two samples outside
///         Recovery and Loss. In that case segments were retransmitted without a timeout, and
///         either
///         - ssthresh fell (bbr leaves it alone), or
///         - the round trip, which is how long a recovery lasts, is shorter than the time between
///           the samples, and the next sample does not report the segments as duplicates
///           (RFC 2883). A tail loss probe causes duplicates unless it recovered a loss.
/// TLP     Any other retransmission outside Recovery and Loss.
/// CWR     The state became CWR; or a finite ssthresh fell without retransmission or timeout.
/// UNDO    ssthresh returned to its value before it fell.
class PolledEvents {
 public:
  /// The events between the previous sample and `sample`, in the order above.
  std::vector<CongestionEvent> update(const TcpSample& sample);

 private:
  std::optional<EventKind> retransmission(const TcpSample& now, bool timed_out);
  bool reduced(const TcpSample& now, bool timed_out) const;
  bool undone(const TcpSample& now);

  std::optional<TcpSample> previous_;
  std::uint32_t doubtful_ = 0;    ///< retransmitted segments that the next sample will classify
  std::uint32_t duplicates_ = 0;  ///< TcpSample::duplicates before `doubtful_` were sent
  /// TcpSample::ssthresh before it last fell; nullopt if it has not, or if that was undone.
  std::optional<std::optional<std::uint32_t>> before_fall_;
};

}  // namespace tcpinfo
