#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tcpinfo/congestion_event.h"

namespace tcpinfo {

/// A congestion event of one watched connection (EventPrograms::watch).
struct SessionEvent {
  std::uint64_t session = 0;
  CongestionEvent event;
};

/// Reads a record of the eBPF programs (bpf/event.h). nullopt if it is too short, or if its kind is
/// none that we know. A pure function.
std::optional<SessionEvent> parse_event_record(std::span<const std::byte> record);

}  // namespace tcpinfo
