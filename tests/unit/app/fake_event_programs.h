#pragma once

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "tcpinfo/ebpf/event_programs.h"

namespace app {

/// Ring buffers that a test fills. Descriptor 13 cannot be watched.
class FakeEventPrograms : public tcpinfo::EventPrograms {
 public:
  bool watch(int fd, std::uint64_t, int) override { return fd != 13; }
  bool watch_rtt(int, std::chrono::microseconds limit) override {
    rtt_limits.push_back(limit);
    return true;
  }
  int fd(int ring) const override { return 100 + ring; }
  void read(int ring, const Callback& callback) override {
    for (const auto session : std::exchange(rings[static_cast<std::size_t>(ring)], {})) {
      callback(session, {.kind = kind});
    }
  }
  std::uint64_t lost(int ring) const override { return static_cast<std::uint64_t>(ring) + 1; }

  std::vector<std::vector<std::uint64_t>> rings{2};  ///< the sessions of their events
  tcpinfo::EventKind kind = tcpinfo::EventKind::kDupack;
  std::vector<std::chrono::microseconds> rtt_limits;
};

}  // namespace app
