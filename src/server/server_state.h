#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "server/places.h"

namespace server {

/// Totals of all loops since the start.
struct ServerState {
  std::uint64_t connections = 0;          ///< accepted
  std::uint64_t connections_refused = 0;  ///< closed at once because there were too many
  std::uint64_t accept_failures = 0;      ///< accepting pauses after each
  std::uint64_t trusted_proxy_requests = 0;
  std::uint64_t unknown_proxy_requests = 0;
  std::uint64_t requests_slowed = 0;    ///< by RequestPace
  std::uint64_t responses_delayed = 0;  ///< by OutputAccount
  base::Duration writing{};             ///< of responses, see WritingTime
  std::int64_t unread = 0;              ///< OutputAccount::held(), now
  int clients = 0;                      ///< connections, and places of viewers, now
  std::uint64_t joined = 0;             ///< viewers
  std::uint64_t packets_lost_in_handover = 0;
  unsigned frames_per_write = 1;  ///< now, on the busiest loop: see WriteMerging
  std::uint64_t bytes_sent = 0;   ///< media responses
  std::uint64_t frames_dropped = 0;
  std::uint64_t audio_frames_dropped = 0;
  std::uint64_t gops_dropped = 0;
  std::uint64_t discards = 0;          ///< times an observer discarded unsent frames
  std::uint64_t padding_bytes = 0;     ///< part of bytes_sent
  std::uint64_t frames_forgotten = 0;  ///< beyond SentFrames::kMaxFrames, so their delay is unknown
  std::uint64_t switches = 0;
  std::vector<std::uint64_t> responses;  ///< by status: index = HTTP status code
  std::vector<std::uint64_t> left;       ///< by LeaveReason
  std::vector<std::uint64_t> too_slow;   ///< connections reset, by TooSlow
  Places::State places;                  ///< of viewers
};

}  // namespace server
