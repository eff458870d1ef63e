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

/// Brings pushed congestion events to the viewers they are of, each on its own loop thread.
class EventDispatch {
 public:
  using Listener = std::function<void(const tcpinfo::CongestionEvent&, base::Time now)>;

  /// `programs` null: nothing is pushed.
  EventDispatch(std::unique_ptr<tcpinfo::EventPrograms> programs, int loops);

  /// Ends what watch() began, on the same thread.
  class Watch {
   public:
    Watch(EventDispatch& dispatch, int loop, std::uint64_t session)
        : dispatch_{dispatch}, loop_{loop}, session_{session} {}
    ~Watch() { dispatch_.listeners(loop_).erase(session_); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    EventDispatch& dispatch_;
    const int loop_;
    const std::uint64_t session_;
  };

  /// On the thread of `loop`. Null when nothing is pushed for this socket: then poll it.
  std::unique_ptr<Watch> watch(int fd, std::uint64_t session, int loop, Listener listener);

  /// Null when nothing is pushed.
  std::unique_ptr<server::LoopSource> loop_source(int loop);
  /// Events that did not find room on their way here. Thread-safe.
  std::uint64_t lost() const;

 private:
  class Source;
  using Listeners = std::unordered_map<std::uint64_t, Listener>;

  Listeners& listeners(int loop) { return listeners_[static_cast<std::size_t>(loop)]; }
  void deliver(int loop, base::Time now);

  const std::unique_ptr<tcpinfo::EventPrograms> programs_;
  std::vector<Listeners> listeners_;  ///< by loop; each is used on its loop's thread only
};

}  // namespace app
