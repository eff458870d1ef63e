#include "server/event_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace server {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kAfter = 3ms;

/// How late some timers were, and as many sleeps. The sleeps show how busy the machine is.
struct Lateness {
  std::vector<base::Duration> timers;
  std::vector<base::Duration> sleeps;
};

Lateness measure() {
  Lateness late;
  EventLoop loop{[] {}};
  EventLoop::RulePtr timer;
  base::Time due;
  const auto sleep_then_arm = [&] {
    const auto wake = base::Clock::now() + kAfter;
    std::this_thread::sleep_until(wake);
    const auto now = base::Clock::now();
    late.sleeps.push_back(now - wake);
    due = now + kAfter;
    timer->arm(kAfter);
  };
  timer = loop.timer("test", [&] {
    late.timers.push_back(base::Clock::now() - due);
    if (late.timers.size() == 21) return loop.stop();
    sleep_then_arm();
  });
  sleep_then_arm();
  loop.run();
  return late;
}

base::Duration upper_quartile(std::vector<base::Duration> of) {
  std::ranges::sort(of);
  return of[of.size() * 3 / 4];
}

// The kernel's coarse clock, libevent's default, has steps of 4 ms with CONFIG_HZ=250. A busy
// machine delays timers and sleeps alike, and each sometimes more than the other.
TEST(EventLoopTest, ATimerIsNeverEarlyAndNoLaterThanASleep) {
  constexpr int kMaxMeasurements = 20;
  bool no_later = false;
  for (int i = 0; i < kMaxMeasurements && !no_later; ++i) {
    const auto late = measure();
    EXPECT_GE(std::ranges::min(late.timers), 0ms);
    no_later = upper_quartile(late.timers) < upper_quartile(late.sleeps) + 2ms;
  }
  EXPECT_TRUE(no_later);
}

TEST(EventLoopTest, ATurnCallsBackForWhatIsReadyAndDoesNotWait) {
  EventLoop loop{[] {}};
  int ready = 0;
  const auto distant = loop.timer("distant", [&] { ready += 100; });
  distant->arm(1h);
  loop.turn();
  EXPECT_EQ(ready, 0);
  const auto due = loop.timer("due", [&] { ++ready; });
  due->again();
  loop.turn();
  EXPECT_EQ(ready, 1);
}

}  // namespace
}  // namespace server
