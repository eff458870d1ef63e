#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace tcpinfo {

/// The two events of paper 003 (Khan and Zaghal 2003, table 2):
/// kRexmt   a retransmission timer expired; each expiry counts, back-offs included
/// kDupack  fast retransmit began (the third duplicate ACK, or what RACK takes for it)
enum class EventKind : std::uint8_t { kRexmt, kDupack };

struct CongestionEvent {
  EventKind kind = EventKind::kDupack;
  base::Time at{};         ///< when we learnt of it
  std::uint32_t cwnd = 0;  ///< segments, after it
  std::optional<std::uint32_t> ssthresh;
  base::Duration srtt{};
};

/// "rexmt", "dupack": as in metrics, log and trace.
const char* name(EventKind kind);

}  // namespace tcpinfo
