#include "server/event_loop.h"

#include <event2/event.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "base/log.h"
#include "base/system_error.h"

namespace server {

namespace {

// Callbacks that take longer are logged. At 30 frames per second that is three frames, which every
// viewer of the loop notices.
constexpr base::Duration kSlowCallback = std::chrono::milliseconds{100};
// How long callbacks run before the loop asks the kernel, at a cost of 1 µs, which descriptors have
// become ready. Without this limit a rule that calls again() would starve all others.
constexpr base::Duration kMaxDispatchTime = std::chrono::milliseconds{1};

timeval to_timeval(base::Duration duration) {
  const auto us = std::chrono::ceil<std::chrono::microseconds>(duration).count();
  return {.tv_sec = us / 1'000'000, .tv_usec = us % 1'000'000};
}

event_base* new_base() {
  event_config* config = event_config_new();
  // Only one thread uses the base. Other threads reach it through the eventfd.
  event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
  event_config_set_flag(config, EVENT_BASE_FLAG_NO_CACHE_TIME);
  // The default clock, CLOCK_MONOTONIC_COARSE, makes timers up to one kernel tick late.
  event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
  event_config_require_features(config, EV_FEATURE_ET);
  const timeval turn = to_timeval(kMaxDispatchTime);
  event_config_set_max_dispatch_interval(config, &turn, -1, 0);
  event_base* base = event_base_new_with_config(config);
  event_config_free(config);
  if (!base) throw std::runtime_error{"libevent offers no edge-triggered event loop (epoll)"};
  return base;
}

void on_event(int /*fd*/, short what, void* rule) noexcept {
  static_cast<EventLoop::Rule*>(rule)->run(
      {.readable = (what & (EV_READ | EV_TIMEOUT)) != 0, .writable = (what & EV_WRITE) != 0});
}

}  // namespace

EventLoop::Rule::Rule(EventLoop& loop, const char* name, std::function<void(Ready)> callback)
    : loop_{loop}, name_{name}, callback_{std::move(callback)} {}

EventLoop::Rule::~Rule() { event_free(event_); }

void EventLoop::Rule::again() { event_active(event_, EV_READ, 0); }

void EventLoop::Rule::disable() { event_del(event_); }

void EventLoop::Rule::arm(base::Duration after) {
  const timeval tv = to_timeval(std::max(after, base::Duration{}));
  event_add(event_, &tv);
}

void EventLoop::Rule::run(Ready ready) {
  const auto begin = base::Clock::now();
  callback_(ready);
  loop_.log_if_slow(name_, begin);
}

void EventLoop::FreeBase::operator()(event_base* base) const { event_base_free(base); }

EventLoop::EventLoop(std::function<void()> on_wake)
    : base_{new_base()},
      wake_fd_{base::check("eventfd", eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC))},
      // Every write triggers an edge, so the eventfd never has to be read.
      wake_rule_{when_ready("wake", wake_fd_.get(),
                            [on_wake = std::move(on_wake)](Ready) { on_wake(); })} {}

EventLoop::~EventLoop() = default;

void EventLoop::run() { event_base_loop(base_.get(), EVLOOP_NO_EXIT_ON_EMPTY); }

void EventLoop::turn() { event_base_loop(base_.get(), EVLOOP_NONBLOCK | EVLOOP_NO_EXIT_ON_EMPTY); }

void EventLoop::stop() { event_base_loopbreak(base_.get()); }

void EventLoop::wake() {
  // This can only fail if 2^64 - 1 wake-ups are pending.
  [[maybe_unused]] const int result = eventfd_write(wake_fd_.get(), 1);
}

EventLoop::RulePtr EventLoop::when_ready(const char* name, int fd,
                                         std::function<void(Ready)> callback) {
  auto rule = std::make_unique<Rule>(*this, name, std::move(callback));
  rule->event_ =
      event_new(base_.get(), fd, EV_READ | EV_WRITE | EV_PERSIST | EV_ET, on_event, rule.get());
  event_add(rule->event_, nullptr);
  return rule;
}

EventLoop::RulePtr EventLoop::every(const char* name, base::Duration interval,
                                    std::function<void()> callback) {
  auto rule = new_timer(name, EV_PERSIST, std::move(callback));
  rule->arm(interval);
  return rule;
}

EventLoop::RulePtr EventLoop::timer(const char* name, std::function<void()> callback) {
  return new_timer(name, 0, std::move(callback));
}

EventLoop::RulePtr EventLoop::new_timer(const char* name, short flags,
                                        std::function<void()> callback) {
  auto rule =
      std::make_unique<Rule>(*this, name, [callback = std::move(callback)](Ready) { callback(); });
  rule->event_ = event_new(base_.get(), -1, flags, on_event, rule.get());
  return rule;
}

void EventLoop::log_if_slow(const char* name, base::Time begin) {
  const auto now = base::Clock::now();
  if (now - begin < kSlowCallback) return;
  if (const auto times = slow_.count(now)) {
    base::log::warning("event_loop_slow",
                       {{"rule", name}, {"seconds", now - begin}, {"times", *times}});
  }
}

}  // namespace server
