#include "abr/networks/experience.h"

#include <gtest/gtest.h>

#include <cmath>

namespace abr {
namespace {

using namespace std::chrono_literals;

class ExperienceTest : public testing::Test {
 protected:
  void watch(base::Duration time, double share, bool late = false) {
    for (const auto end = now_ + time; now_ < end;) {
      now_ += 100ms;
      experience_.update(share, late, now_);
    }
  }

  base::Time now_{1h};
  Experience experience_;
};

TEST_F(ExperienceTest, TheHighestRateInTimeIsZero) {
  watch(10s, 1);
  const auto sum = experience_.take();
  EXPECT_NEAR(sum.seconds, 10, 1.1);
  EXPECT_NEAR(sum.quality, 0, 1e-9);
}

TEST_F(ExperienceTest, EachSecondCountsTheLogarithmOfTheShare) {
  watch(10s, 0.5);
  const auto sum = experience_.take();
  EXPECT_NEAR(sum.quality / sum.seconds, std::log(0.5), 1e-9);
}

TEST_F(ExperienceTest, AChangeCostsAsMuchAsItsLogarithm) {
  experience_.update(0.5, false, now_);
  watch(5s, 0.5);
  experience_.take();
  watch(5s, 1);
  EXPECT_NEAR(experience_.take().quality, std::log(0.5), 1e-9);
}

TEST_F(ExperienceTest, TimeInWhichThePictureStandsCosts) {
  experience_.update(1, false, now_);
  watch(2s, 1, true);
  EXPECT_NEAR(experience_.take().quality, -2 * kLatePenalty, 1e-9);
}

TEST_F(ExperienceTest, ASumBeginsAnewWhenTaken) {
  watch(5s, 0.5);
  experience_.take();
  EXPECT_EQ(experience_.take().seconds, 0);
}

TEST_F(ExperienceTest, NobodyWatchesInALongGap) {
  watch(5s, 1);
  experience_.take();
  now_ += 1h;
  watch(5s, 1);
  EXPECT_LE(experience_.take().seconds, 6);
}

TEST_F(ExperienceTest, NoRateAtAllIsFinite) {
  watch(5s, 0);
  EXPECT_TRUE(std::isfinite(experience_.take().quality));
}

}  // namespace
}  // namespace abr
