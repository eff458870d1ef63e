#include "server/event_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace server {
namespace {

using namespace std::chrono_literals;

/// How late each of some timers was, the least first.
std::vector<base::Duration> lateness() {
  constexpr base::Duration kAfter = 3ms;
  constexpr std::size_t kTimers = 41;
  std::vector<base::Duration> late;
  EventLoop loop{[] {}};
  EventLoop::RulePtr timer;
  base::Time due;
  const auto arm = [&] {
    due = base::Clock::now() + kAfter;
    timer->arm(kAfter);
  };
  timer = loop.timer("test", [&] {
    late.push_back(base::Clock::now() - due);
    if (late.size() == kTimers) return loop.stop();
    arm();
  });
  arm();
  loop.run();
  std::ranges::sort(late);
  return late;
}

// The kernel's coarse clock, which libevent takes unless told, stands for 4 ms with CONFIG_HZ=250.
TEST(EventLoopTest, ATimerIsNeverEarlyAndSeldomLate) {
  const auto late = lateness();
  EXPECT_GE(late.front(), 0ms);
  EXPECT_LT(late[late.size() * 3 / 4], 1ms);
}

}  // namespace
}  // namespace server
