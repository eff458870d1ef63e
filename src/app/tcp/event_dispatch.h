#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/units.h"
#include "server/handler.h"
#include "tcpinfo/ebpf/event_programs.h"

namespace app {

/// Passes each pushed congestion event to the viewer it belongs to, on that viewer's loop thread.
class EventDispatch {
 public:
  using Listener = std::function<void(const tcpinfo::CongestionEvent&, base::Time now)>;

  /// If `programs` is null, nothing is pushed.
  EventDispatch(std::unique_ptr<tcpinfo::EventPrograms> programs, int loops);

  /// Stops the watch when destroyed, which must be on the thread that called watch().
  class Watch {
   public:
    Watch(EventDispatch& dispatch, int fd, int loop, std::uint64_t session)
        : dispatch_{dispatch}, fd_{fd}, loop_{loop}, session_{session} {}
    ~Watch() { dispatch_.listeners(loop_).erase(session_); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// EventPrograms::watch_rtt() of the watched socket.
    bool limit_rtt(std::chrono::microseconds limit) {
      return dispatch_.programs_->watch_rtt(fd_, limit);
    }

   private:
    EventDispatch& dispatch_;
    const int fd_;
    const int loop_;
    const std::uint64_t session_;
  };

  /// Call on the thread of `loop`, which also calls `listener`. Returns null if nothing is pushed
  /// for this socket; poll it then.
  std::unique_ptr<Watch> watch(int fd, std::uint64_t session, int loop, Listener listener);

  /// Returns null if nothing is pushed.
  std::unique_ptr<server::LoopSource> loop_source(int loop);
  /// Events lost because a ring buffer was full. Thread-safe.
  std::uint64_t lost() const;

 private:
  class Source;
  using Listeners = std::unordered_map<std::uint64_t, Listener>;

  Listeners& listeners(int loop) { return listeners_[static_cast<std::size_t>(loop)]; }
  void deliver(int loop, base::Time now);

  const std::unique_ptr<tcpinfo::EventPrograms> programs_;
  std::vector<Listeners> listeners_;  ///< by loop; each used only on its loop's thread
};

}  // namespace app
