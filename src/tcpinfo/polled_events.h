#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tcpinfo/congestion_event.h"
#include "tcpinfo/tcp_sample.h"

namespace tcpinfo {

/// Congestion events from the differences of TCP_INFO samples of one connection: needs no
/// privileges and is late by at most the sampling period. Pure.
///
/// REXMT   total_timeouts grew (Linux 6.7), by that many; before 6.7: timeouts_in_row grew, or the
///         state became Loss.
/// DUPACK  the state became Recovery; or one began and ended between two samples outside Recovery
///         and Loss. Then segments were retransmitted without a timeout, and
///         - ssthresh fell (not with bbr, which leaves it alone); or
///         - the round trip is shorter than the time between the samples, for a recovery lasts one,
///           and the next sample does not report them as duplicates (RFC 2883): those of a tail
///           loss probe are, unless it mended a loss.
/// TLP     any other retransmission outside Recovery and Loss.
/// CWR     the state became CWR; or a finite ssthresh fell without retransmission or timeout.
/// UNDO    ssthresh is again what it was before it fell.
class PolledEvents {
 public:
  /// The events between the previous sample and this one, in the order above.
  std::vector<CongestionEvent> update(const TcpSample& sample);

 private:
  std::optional<EventKind> retransmission(const TcpSample& now, bool timed_out);
  bool reduced(const TcpSample& now, bool timed_out) const;
  bool undone(const TcpSample& now);

  std::optional<TcpSample> previous_;
  std::uint32_t doubtful_ = 0;    ///< segments retransmitted between the last two samples
  std::uint32_t duplicates_ = 0;  ///< TcpSample::duplicates before those
  /// TcpSample::ssthresh before it last fell; empty: that is settled.
  std::optional<std::optional<std::uint32_t>> before_fall_;
};

}  // namespace tcpinfo
