#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/units.h"

namespace tcpinfo {

/// The two loss events of Khan and Zaghal 2003, table 2, three events that explain them, and one
/// that announces a queue: kRexmt   a retransmission timer expired; each expiry counts, back-offs
/// included kDupack  fast retransmit began: a third duplicate ACK arrived, or RACK found a loss
/// kTlp     a tail loss probe was retransmitted (RFC 8985, 7): the end of a burst may be lost
/// kCwr     the window was reduced without a retransmission: ECN, a drop at the sender's own queue,
///          or a loss that a probe recovered
/// kUndo    a reduction was undone: the segments were late, not lost
/// kRtt     the smoothed RTT became longer than the limit set (EventPrograms::watch_rtt)
enum class EventKind : std::uint8_t { kRexmt, kDupack, kTlp, kCwr, kUndo, kRtt };
inline constexpr std::size_t kEventKinds = 6;

/// Where congestion events come from, best source first:
/// kTracepoint  eBPF at the kernel's tracepoints: immediate, exact, all kinds
/// kSockops     eBPF at the socket operations of our control group: immediate; no CWR, no UNDO
/// kTcpInfo     differences of TCP_INFO samples (PolledEvents): late by at most the sampling
/// period;
///              no RTT
enum class EventSource : std::uint8_t { kTracepoint, kSockops, kTcpInfo };

/// One congestion event of one connection. kTcpInfo reads cwnd and ssthresh after the event. The
/// other sources read them when the kernel reports the event:
///              kTracepoint                              kSockops
/// kRexmt       both after the event: cwnd is about 1    both before the event
/// kDupack      cwnd before, ssthresh after              cwnd while it falls, ssthresh after
/// kCwr         cwnd before, ssthresh after              not reported
/// kUndo        both after: as before the reduction      not reported
/// kTlp         a probe changes neither                  a probe changes neither
/// kRtt         both of this moment                      both of this moment
struct CongestionEvent {
  EventKind kind = EventKind::kDupack;
  base::Time at{};         ///< when the kernel saw it; from kTcpInfo: when it was sampled
  std::uint32_t cwnd = 0;  ///< segments
  std::optional<std::uint32_t> ssthresh;  ///< segments; nullopt if infinite
  base::Duration srtt{};
  std::uint32_t sacked = 0;  ///< segments of the window
  std::uint32_t lost = 0;    ///< segments of the window
};

/// Whether `kind` is one of the two loss events, on which policies act at once. The others only
/// explain.
constexpr bool is_loss(EventKind kind) { return kind <= EventKind::kDupack; }

/// Whether kSockops reports `kind`.
constexpr bool sockops_reports(EventKind kind) {
  return kind <= EventKind::kTlp || kind == EventKind::kRtt;
}

/// "rexmt", "dupack", "tlp", "cwr", "undo", "rtt": as in metrics, log and trace.
const char* name(EventKind kind);
/// "tracepoint", "sockops", "tcp_info": as in metrics, log, trace and configuration.
const char* name(EventSource source);

}  // namespace tcpinfo
