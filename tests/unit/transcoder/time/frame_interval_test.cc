#include "transcoder/time/frame_interval.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace transcoder {
namespace {

using std::chrono::milliseconds;

constexpr base::Duration kNominal = milliseconds{33};

class FrameIntervalTest : public ::testing::Test {
 protected:
  /// Pictures `intervals` after one another, repeated.
  base::Duration feed(std::initializer_list<milliseconds> intervals, int times = 1) {
    base::Duration estimate{};
    for (int i = 0; i < times; ++i) {
      for (const auto interval : intervals) estimate = interval_.update(now_ += interval);
    }
    return estimate;
  }

  media::Pts now_{};
  FrameInterval interval_{kNominal};
};

TEST_F(FrameIntervalTest, IsNominalAtTheFirstPicture) {
  EXPECT_EQ(interval_.update(milliseconds{5000}), kNominal);
}

TEST_F(FrameIntervalTest, IsMeasuredFromTheSecondPictureOn) {
  feed({milliseconds{40}});
  EXPECT_EQ(feed({milliseconds{40}}), milliseconds{40});
}

TEST_F(FrameIntervalTest, IsMeasuredWhenItsWindowIsFull) {
  feed({milliseconds{40}}, 12);
  EXPECT_FALSE(interval_.is_measured());
  feed({milliseconds{40}});
  EXPECT_TRUE(interval_.is_measured());
}

TEST_F(FrameIntervalTest, IsTheMeanOfAnUnevenPattern) {
  feed({milliseconds{20}, milliseconds{20}, milliseconds{50}}, 8);
  EXPECT_EQ(feed({milliseconds{20}, milliseconds{20}, milliseconds{50}}), milliseconds{30});
}

TEST_F(FrameIntervalTest, FollowsAFasterSourceWithinThreePictures) {
  feed({milliseconds{40}}, 20);
  EXPECT_EQ(feed({milliseconds{20}}, 3), milliseconds{20});
}

TEST_F(FrameIntervalTest, BoundsAPause) {
  feed({milliseconds{0}, milliseconds{60'000}});
  EXPECT_EQ(feed({milliseconds{60'000}}), milliseconds{200});
}

}  // namespace
}  // namespace transcoder
