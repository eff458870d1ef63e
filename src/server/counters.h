#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "server/handler.h"
#include "server/reading_pace.h"
#include "server/server_state.h"

namespace server {

/// A counter that one thread writes and any thread reads, without a locked instruction. A reader
/// that sees an addition also sees the writer's earlier additions to other counters.
class Counter {
 public:
  void add(std::uint64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_release);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// The totals of one loop, written on its thread.
struct Counters {
  static constexpr std::size_t kStatusCount = 600;  ///< HTTP status codes are lower
  static constexpr std::size_t kLeaveReasonCount =
      static_cast<std::size_t>(LeaveReason::kShutdown) + 1;

  Counter connections;
  Counter connections_refused;  ///< of clients named by a PROXY protocol header
  Counter trusted_proxy_requests;
  Counter unknown_proxy_requests;
  Counter requests_slowed;
  Counter responses_delayed;
  Counter writing_ns;  ///< nanoseconds; see WritingTime
  Counter joined;
  Counter bytes_sent;
  Counter frames_dropped;
  Counter audio_frames_dropped;
  Counter gops_dropped;
  Counter discards;
  Counter padding_bytes;
  Counter frames_forgotten;
  Counter switches;
  std::array<Counter, kStatusCount> responses;
  std::array<Counter, kLeaveReasonCount> left;
  std::array<Counter, kTooSlowCount> too_slow;  ///< connections reset, by TooSlow

  void add_to(ServerState& state) const;
};

}  // namespace server
