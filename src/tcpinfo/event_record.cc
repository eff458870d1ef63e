#include "tcpinfo/event_record.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "bpf/event.h"
#include "tcpinfo/tcp_info.h"

namespace tcpinfo {

namespace {

static_assert(SYMCAST_RTT + 1 == kEventKinds);

/// Both are CLOCK_MONOTONIC. One that 64 bits with a sign cannot hold is the last.
base::Time time_of(std::uint64_t ns) {
  constexpr std::uint64_t kLast = std::numeric_limits<base::Duration::rep>::max();
  return base::Time{base::Duration{static_cast<base::Duration::rep>(std::min(ns, kLast))}};
}

}  // namespace

std::optional<SessionEvent> parse_event_record(std::span<const std::byte> bytes) {
  symcast_event record;
  if (bytes.size() < sizeof record) return std::nullopt;
  std::memcpy(&record, bytes.data(), sizeof record);
  if (record.kind >= kEventKinds) return std::nullopt;
  SessionEvent out{.session = record.session, .event = {}};
  auto& event = out.event;
  event.kind = static_cast<EventKind>(record.kind);
  event.at = time_of(record.time_ns);
  event.cwnd = record.cwnd;
  if (record.ssthresh < kInfiniteSsthresh) event.ssthresh = record.ssthresh;
  event.srtt = std::chrono::microseconds{record.srtt_us};
  event.sacked = record.sacked;
  event.lost = record.lost;
  return out;
}

}  // namespace tcpinfo
