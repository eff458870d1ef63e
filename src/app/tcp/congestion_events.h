#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "app/tcp/event_dispatch.h"
#include "tcpinfo/congestion_event.h"
#include "tcpinfo/polled_events.h"
#include "tcpinfo/tcp_sample.h"

namespace app {

/// The congestion events of one connection: pushed by the kernel where it does that for this
/// socket, and otherwise derived from the differences of its TCP_INFO samples. Used on its loop
/// thread.
class CongestionEvents {
 public:
  /// `source`: what pushes events on this host. `dispatch` outlives it.
  CongestionEvents(EventDispatch& dispatch, tcpinfo::EventSource source)
      : dispatch_{dispatch}, source_{source} {}

  /// `listener` is called for each pushed event, on the thread of `loop`.
  void watch(int fd, std::uint64_t viewer, int loop, EventDispatch::Listener listener) {
    watch_ = dispatch_.watch(fd, viewer, loop, std::move(listener));
  }
  tcpinfo::EventSource source() const { return source_; }

  /// The events between the last sample and this one that no one pushes.
  std::vector<tcpinfo::CongestionEvent> polled(const tcpinfo::TcpSample& sample);

 private:
  EventDispatch& dispatch_;
  const tcpinfo::EventSource source_;
  std::unique_ptr<EventDispatch::Watch> watch_;  ///< null: nothing is pushed for this socket
  tcpinfo::PolledEvents polled_;
};

}  // namespace app
