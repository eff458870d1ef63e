#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "server/handler.h"
#include "server/server_state.h"

namespace server {

/// Written by one thread, read by any: no locked instruction per addition. Who sees an addition
/// sees those that the thread made to other counters before.
class Counter {
 public:
  void add(std::uint64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_release);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// What one loop has done; written on its thread.
struct Counters {
  static constexpr std::size_t kStatuses = 600;  ///< HTTP status codes are below
  static constexpr std::size_t kReasons = static_cast<std::size_t>(LeaveReason::kShutdown) + 1;

  Counter connections;
  Counter joined;
  Counter bytes_sent;
  Counter frames_dropped;
  Counter audio_frames_dropped;
  Counter gops_dropped;
  Counter discards;
  Counter padding_bytes;
  Counter frames_forgotten;
  Counter switches;
  std::array<Counter, kStatuses> responses;
  std::array<Counter, kReasons> left;

  void add_to(ServerState& state) const;
};

}  // namespace server
