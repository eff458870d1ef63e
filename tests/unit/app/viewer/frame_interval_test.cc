#include "app/viewer/frame_interval.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

class FrameIntervalTest : public testing::Test {
 protected:
  void pictures(int count, base::Duration apart) {
    for (int i = 0; i < count; ++i) interval_.add(pts_ += apart);
  }
  FrameInterval interval_;
  media::Pts pts_{1s};
};

TEST_F(FrameIntervalTest, IsAThirtiethAtFirst) { EXPECT_EQ(interval_.value(), 33ms); }

TEST_F(FrameIntervalTest, FollowsARateThatHasCome) {
  pictures(5, 40ms);
  EXPECT_EQ(interval_.value(), 40ms);
  pictures(2, 80ms);
  EXPECT_EQ(interval_.value(), 40ms) << "may be a gap";
  pictures(2, 80ms);
  EXPECT_EQ(interval_.value(), 80ms);
}

TEST_F(FrameIntervalTest, AGapIsNone) {
  pictures(5, 40ms);
  pictures(1, 600ms);
  EXPECT_EQ(interval_.value(), 40ms);
}

TEST_F(FrameIntervalTest, IsWithinReason) {
  pictures(5, 1ms);
  EXPECT_EQ(interval_.value(), 8ms);
  pictures(5, 2s);
  EXPECT_EQ(interval_.value(), 200ms);
}

}  // namespace
}  // namespace app
