#pragma once

#include <functional>
#include <memory>

#include "base/log_period.h"
#include "base/unique_fd.h"
#include "base/units.h"

struct event;
struct event_base;

namespace server {

/// What one thread waits for and does (libevent). Everything but wake() is for the thread that
/// runs it. Callbacks must not throw. A callback that takes too long is logged by its rule's name.
class EventLoop {
 public:
  /// Both: an error, perhaps; epoll says it of either.
  struct Ready {
    bool readable = false;
    bool writable = false;
  };

  /// A descriptor or a timer with its callback; the rule ends when this is destroyed, which the
  /// callback itself must not do. It may disable(), or arm() again.
  class Rule {
   public:
    Rule(EventLoop& loop, const char* name, std::function<void(Ready)> callback);
    ~Rule();
    Rule(const Rule&) = delete;
    Rule& operator=(const Rule&) = delete;

    /// Call back once more, as readable, after what is waiting now; timers and what becomes ready
    /// meanwhile have their turn.
    void again();
    void disable();  ///< before the descriptor is closed; a timer, until it is armed again
    void arm(base::Duration after);  ///< a timer(), in place of what it waited for
    void run(Ready ready);

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

  void run();  ///< returns after stop()
  void stop();
  void wake();  ///< thread-safe; several before the loop's next turn are one

  /// Edge-triggered: the callback must read until there is nothing left. It is called writable
  /// after a write that the kernel did not take whole, so that writing needs no epoll_ctl.
  RulePtr when_ready(const char* name, int fd, std::function<void(Ready)> callback);
  RulePtr every(const char* name, base::Duration interval, std::function<void()> callback);
  /// Calls back once whenever it has been armed.
  RulePtr timer(const char* name, std::function<void()> callback);

  event_base* base() { return base_.get(); }  ///< for libevent's listeners

 private:
  struct FreeBase {
    void operator()(event_base* base) const;
  };

  RulePtr new_timer(const char* name, short flags, std::function<void()> callback);
  void took(const char* name, base::Time begin);

  std::unique_ptr<event_base, FreeBase> base_;
  base::UniqueFd wake_fd_;
  RulePtr wake_rule_;
  base::LogPeriod slow_;
};

}  // namespace server
