#include "transcoder/time/clock_anchor.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

TEST(ClockAnchorTest, MapsTheSourceToOurClock) {
  ClockAnchor anchor;
  anchor.set(10s, 3s);
  EXPECT_EQ(anchor.place(12s), 5s);
}

TEST(ClockAnchorTest, MovesByAtMost500PpmOfTheTimePassed) {
  ClockAnchor anchor;
  anchor.set(0s, 0s);
  anchor.follow(2s, 2s + 300ms);  // 0.3 s late
  EXPECT_GT(anchor.place(2s), 2s);
  EXPECT_LE(anchor.place(2s), 2s + base::Duration{2300ms} / 2000);
}

TEST(ClockAnchorTest, FollowsACrystalThatIs100PpmSlow) {
  ClockAnchor anchor;
  anchor.set(0s, 0s);
  for (base::Duration source = 0s; source <= 1h; source += 40ms) {
    const auto ours = source + source / 10000;
    anchor.follow(source, ours);
    ASSERT_LT(std::chrono::abs(anchor.place(source) - ours), 1ms);
  }
}

TEST(ClockAnchorTest, DoesNotMoveWhileOurClockStands) {
  ClockAnchor anchor;
  anchor.set(0s, 1s);
  anchor.follow(500ms, 1s);
  EXPECT_EQ(anchor.place(0s), 1s);
}

}  // namespace
}  // namespace transcoder
