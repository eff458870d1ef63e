#include "transcoder/time/frame_interval_estimator.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace transcoder {
namespace {

using std::chrono::milliseconds;

constexpr base::Duration kNominalInterval = milliseconds{33};

class FrameIntervalEstimatorTest : public ::testing::Test {
 protected:
  /// Adds frames with these `intervals`, `times` times, and returns the last estimate.
  base::Duration feed(std::initializer_list<milliseconds> intervals, int times = 1) {
    base::Duration estimate{};
    for (int i = 0; i < times; ++i) {
      for (const auto interval : intervals) estimate = interval_.update(now_ += interval);
    }
    return estimate;
  }

  media::Pts now_{};
  FrameIntervalEstimator interval_{kNominalInterval};
};

TEST_F(FrameIntervalEstimatorTest, IsNominalAtTheFirstFrame) {
  EXPECT_EQ(interval_.update(milliseconds{5000}), kNominalInterval);
}

TEST_F(FrameIntervalEstimatorTest, UsesMeasurementsFromTheSecondFrameOn) {
  feed({milliseconds{40}});
  EXPECT_EQ(feed({milliseconds{40}}), milliseconds{40});
}

TEST_F(FrameIntervalEstimatorTest, IsMeasuredWhenItsWindowIsFull) {
  feed({milliseconds{40}}, 12);
  EXPECT_FALSE(interval_.is_measured());
  feed({milliseconds{40}});
  EXPECT_TRUE(interval_.is_measured());
}

TEST_F(FrameIntervalEstimatorTest, IsTheMeanOfAnUnevenPattern) {
  feed({milliseconds{20}, milliseconds{20}, milliseconds{50}}, 8);
  EXPECT_EQ(feed({milliseconds{20}, milliseconds{20}, milliseconds{50}}), milliseconds{30});
}

TEST_F(FrameIntervalEstimatorTest, FollowsAFasterSourceWithinThreeFrames) {
  feed({milliseconds{40}}, 20);
  EXPECT_EQ(feed({milliseconds{20}}, 3), milliseconds{20});
}

TEST_F(FrameIntervalEstimatorTest, LimitsTheIntervalAfterAPause) {
  feed({milliseconds{0}, milliseconds{60'000}});
  EXPECT_EQ(feed({milliseconds{60'000}}), milliseconds{200});
}

}  // namespace
}  // namespace transcoder
