#pragma once

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
/// DUPACK  the state became Recovery; or segments were retransmitted with no timeout between two
///         samples outside Recovery and Loss, that is, a recovery began and ended between them. A
///         tail loss probe that retransmits looks the same and counts too: rather one event more
///         than blindness where a recovery is shorter than a picture.
class PolledEvents {
 public:
  /// The events between the previous sample and this one; REXMT before DUPACK.
  std::vector<CongestionEvent> update(const TcpSample& sample);

 private:
  std::optional<TcpSample> previous_;
};

}  // namespace tcpinfo
