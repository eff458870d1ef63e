#pragma once

#include <functional>
#include <memory>

#include "base/log_period.h"
#include "base/unique_fd.h"
#include "base/units.h"

struct event;
struct event_base;

namespace server {

/// The event loop of one thread (libevent): calls back for ready descriptors and timers. Except for
/// wake(), use it only on the thread that runs it, or before run(). Callbacks must not throw. A
/// callback that takes too long is logged with its rule's name.
class EventLoop {
 public:
  /// epoll reports an error as both.
  struct Ready {
    bool readable = false;
    bool writable = false;
  };

  /// A descriptor or timer and its callback, until destroyed. The callback must not destroy its own
  /// rule; it may disable() or arm() it.
  class Rule {
   public:
    Rule(EventLoop& loop, const char* name, std::function<void(Ready)> callback);
    ~Rule();
    Rule(const Rule&) = delete;
    Rule& operator=(const Rule&) = delete;

    /// Calls back once more, as readable, after the callbacks that are pending now. Timers and
    /// descriptors that become ready in between get their turn.
    void again();
    void disable();  ///< call before closing the descriptor; stops a timer until the next arm()
    void arm(base::Duration after);  ///< starts a timer(), or restarts it
    void run(Ready ready);           ///< for the loop

   private:
    friend class EventLoop;
    EventLoop& loop_;
    const char* const name_;
    const std::function<void(Ready)> callback_;
    event* event_ = nullptr;
  };
  using RulePtr = std::unique_ptr<Rule>;

  explicit EventLoop(std::function<void()> on_wake);
  ~EventLoop();

  void run();   ///< returns after stop()
  void turn();  ///< calls back for what is ready now, without waiting
  void stop();
  void wake();  ///< thread-safe; calls before the loop's next turn count as one

  /// Edge-triggered: the callback must read until nothing is left. It is also called, with
  /// `writable`, when there is room again after a short write, so writing needs no epoll_ctl.
  RulePtr when_ready(const char* name, int fd, std::function<void(Ready)> callback);
  RulePtr every(const char* name, base::Duration interval, std::function<void()> callback);
  /// Calls back once per arm().
  RulePtr timer(const char* name, std::function<void()> callback);

  event_base* base() { return base_.get(); }  ///< for libevent's listeners

 private:
  struct FreeBase {
    void operator()(event_base* base) const;
  };

  RulePtr new_timer(const char* name, short flags, std::function<void()> callback);
  void log_if_slow(const char* name, base::Time begin);

  std::unique_ptr<event_base, FreeBase> base_;
  base::UniqueFd wake_fd_;
  RulePtr wake_rule_;
  base::LogPeriod slow_;
};

}  // namespace server
