#include "app/viewer/frame_interval.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

class FrameIntervalTest : public testing::Test {
 protected:
  void frames(int count, base::Duration apart) {
    for (int i = 0; i < count; ++i) interval_.add(pts_ += apart);
  }
  FrameInterval interval_;
  media::Pts pts_{1s};
};

TEST_F(FrameIntervalTest, IsAThirtiethAtFirst) { EXPECT_EQ(interval_.value(), 33ms); }

TEST_F(FrameIntervalTest, FollowsARateThatHasCome) {
  frames(5, 40ms);
  EXPECT_EQ(interval_.value(), 40ms);
  frames(2, 80ms);
  EXPECT_EQ(interval_.value(), 40ms) << "may be a gap";
  frames(2, 80ms);
  EXPECT_EQ(interval_.value(), 80ms);
}

TEST_F(FrameIntervalTest, AGapIsNone) {
  frames(5, 40ms);
  frames(1, 600ms);
  EXPECT_EQ(interval_.value(), 40ms);
}

TEST_F(FrameIntervalTest, IsWithinReason) {
  frames(5, 1ms);
  EXPECT_EQ(interval_.value(), 8ms);
  frames(5, 2s);
  EXPECT_EQ(interval_.value(), 200ms);
}

}  // namespace
}  // namespace app
