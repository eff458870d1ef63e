#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/tcp/event_dispatch.h"
#include "tcpinfo/congestion_event.h"
#include "tcpinfo/polled_events.h"
#include "tcpinfo/tcp_sample.h"

namespace app {

/// The congestion events of one connection. The kernel pushes the kinds that it can for this
/// socket; the other kinds are derived from the differences between TCP_INFO samples. Used on the
/// connection's loop thread.
class CongestionEvents {
 public:
  /// `source`: the mechanism that pushes events on this host. `loop`: the connection's event loop.
  /// `dispatch` must outlive this object.
  CongestionEvents(EventDispatch& dispatch, tcpinfo::EventSource source, int loop)
      : dispatch_{dispatch}, source_{source}, loop_{loop} {}

  /// Starts watching. Calls `listener` for each pushed event, on the thread of the loop.
  void watch(int fd, std::uint64_t viewer, EventDispatch::Listener listener);
  tcpinfo::EventSource source() const { return source_; }

  /// Lets the kernel push one event of kind kRtt as soon as the RTT is longer than `limit`.
  void watch_rtt(base::Duration limit);
  /// Whether the kernel still has such a limit.
  bool rtt_watched() const { return rtt_limit_.count() > 0; }

  /// Returns the events between the last sample and this one, except those that are pushed.
  std::vector<tcpinfo::CongestionEvent> polled(const tcpinfo::TcpSample& sample);

 private:
  EventDispatch& dispatch_;
  const tcpinfo::EventSource source_;
  const int loop_;
  std::unique_ptr<EventDispatch::Watch> watch_;  ///< null if nothing is pushed for this socket
  std::chrono::milliseconds rtt_limit_{};        ///< that the kernel has, if not 0
  tcpinfo::PolledEvents polled_;
};

}  // namespace app
