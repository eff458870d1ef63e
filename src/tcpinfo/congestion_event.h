#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace tcpinfo {

/// The two events of paper 003 (Khan and Zaghal 2003, table 2), and three that explain them:
/// kRexmt   a retransmission timer expired; each expiry counts, back-offs included
/// kDupack  fast retransmit began (the third duplicate ACK, or what RACK takes for it)
/// kTlp     a tail loss probe was sent again (RFC 8985, 7): the end of a burst may be lost
/// kCwr     the window was reduced without a retransmission: ECN, a drop at the sender's own queue,
///          or a loss that a probe mended
/// kUndo    a reduction was taken back: what seemed lost was late
enum class EventKind : std::uint8_t { kRexmt, kDupack, kTlp, kCwr, kUndo };
inline constexpr std::size_t kEventKinds = 5;

/// Who tells of them, the best one first:
/// kTracepoint  eBPF at the kernel's tracepoints: at once, exact, all kinds
/// kSockops     eBPF at the socket operations of our control group: at once; no CWR, no UNDO
/// kTcpInfo     differences of TCP_INFO samples (PolledEvents): late by at most the sampling period
enum class EventSource : std::uint8_t { kTracepoint, kSockops, kTcpInfo };

/// cwnd and ssthresh are those of the moment that the source sees; kTcpInfo's are after the event.
///              kTracepoint                           kSockops
/// kRexmt       both after: cwnd is about 1           both before
/// kDupack      cwnd before, ssthresh after           cwnd as it falls, ssthresh after
/// kCwr         cwnd before, ssthresh after
/// kUndo        both after: as before the reduction
/// kTlp         a probe changes neither               the same
struct CongestionEvent {
  EventKind kind = EventKind::kDupack;
  base::Time at{};         ///< when the kernel came upon it; from kTcpInfo: when we learnt of it
  std::uint32_t cwnd = 0;  ///< segments
  std::optional<std::uint32_t> ssthresh;  ///< segments; empty: infinite
  base::Duration srtt{};
  std::uint32_t sacked = 0;  ///< segments of the window
  std::uint32_t lost = 0;
};

/// The two of the paper, on which policies act at once; the others explain.
constexpr bool is_loss(EventKind kind) { return kind <= EventKind::kDupack; }

/// What kSockops tells of.
constexpr bool sockops_tells(EventKind kind) { return kind <= EventKind::kTlp; }

/// "rexmt", "dupack", "tlp", "cwr", "undo": as in metrics, log and trace.
const char* name(EventKind kind);
/// "tracepoint", "sockops", "tcp_info": as in the configuration too.
const char* name(EventSource source);

}  // namespace tcpinfo
