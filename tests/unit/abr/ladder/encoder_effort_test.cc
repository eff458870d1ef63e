#include "abr/ladder/encoder_effort.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;

/// A stream on two CPUs, in virtual time. Its load follows the effort.
class EncoderEffortTest : public testing::Test {
 protected:
  std::size_t seconds(int count, bool late = false) {
    for (int i = 0; i < count; ++i) {
      now_ += 1s;
      load_.own = encoders_ * one_ * effort_.cost();
      load_.one = one_ * effort_.cost();
      load_.late = late;
      effort_.update(load_, now_);
    }
    return effort_.effort();
  }

  base::Time now_{1h};
  double one_ = 0.15;  ///< CPUs of an encoder at the first effort
  double encoders_ = 1;
  EncoderEffort::Load load_{.usable = 1.6};
  EncoderEffort effort_{true};
};

TEST_F(EncoderEffortTest, IdleCpusBecomeQualityStepByStep) {
  EXPECT_EQ(seconds(4), EncoderEffort::kFirst);
  EXPECT_EQ(seconds(3), EncoderEffort::kFirst + 1);
  EXPECT_EQ(seconds(6), EncoderEffort::kCosts.size() - 1);
  EXPECT_EQ(seconds(3600), EncoderEffort::kCosts.size() - 1);
}

TEST_F(EncoderEffortTest, StaysWhereItIsIfItMayNotChoose) {
  EncoderEffort fixed{false};
  for (const bool late : {false, true}) {
    for (int i = 0; i < 60; ++i) {
      now_ += 1s;
      EXPECT_FALSE(fixed.update({.own = 0.1, .one = 0.1, .usable = 1.6, .late = late}, now_));
    }
  }
  EXPECT_EQ(fixed.effort(), EncoderEffort::kFirst);
}

TEST_F(EncoderEffortTest, LeavesRoomForHarderScenes) {
  encoders_ = 7;  // 1.05 CPUs, 1.58 at the next effort
  EXPECT_EQ(seconds(60), EncoderEffort::kFirst);
}

TEST_F(EncoderEffortTest, NoFrameTakesMuchOfItsInterval) {
  one_ = 0.2;
  EXPECT_EQ(seconds(60), EncoderEffort::kFirst + 1);
  one_ = 0.3;
  EXPECT_EQ(seconds(60), EncoderEffort::kFirst + 1) << "is not lowered for that";
}

TEST_F(EncoderEffortTest, MakesWayForGroups) {
  seconds(20);
  encoders_ = 6;  // 2 CPUs at the highest effort
  EXPECT_EQ(seconds(1), 2u);
  EXPECT_EQ(seconds(20), 2u) << "1.35 of 1.6 CPUs fit";
  encoders_ = 8;
  EXPECT_EQ(seconds(20), EncoderEffort::kFirst);
}

TEST_F(EncoderEffortTest, LateFramesEndIt) {
  seconds(20);
  EXPECT_EQ(seconds(1, true), 0u);
  EXPECT_EQ(seconds(28), 0u);
  EXPECT_EQ(seconds(3), 1u);
}

TEST_F(EncoderEffortTest, BusyEventLoopsLeaveTheFirst) {
  seconds(20);
  load_.loops_late = true;
  EXPECT_EQ(seconds(1), EncoderEffort::kFirst);
  EXPECT_EQ(seconds(60), EncoderEffort::kFirst);
  EXPECT_EQ(seconds(1, true), 0u);
  EXPECT_EQ(seconds(60), EncoderEffort::kFirst) << "when the frames are in time again";
  load_.loops_late = false;
  EXPECT_GT(seconds(60), EncoderEffort::kFirst);
}

TEST_F(EncoderEffortTest, AnEffortThatDoesNotLastIsTriedEverMoreSeldom) {
  int attempts = 0;
  for (int i = 0; i < 3600; ++i) {
    const auto before = effort_.effort();
    seconds(1, before > EncoderEffort::kFirst);  // late at each higher effort
    attempts += effort_.effort() > EncoderEffort::kFirst && before <= EncoderEffort::kFirst;
  }
  EXPECT_GE(attempts, 5);
  EXPECT_LE(attempts, 14);
}

TEST_F(EncoderEffortTest, WaitsForOtherStreams) {
  load_.may_raise = false;
  EXPECT_EQ(seconds(60), EncoderEffort::kFirst);
  load_.may_raise = true;
  EXPECT_EQ(seconds(1), EncoderEffort::kFirst + 1);
}

}  // namespace
}  // namespace abr
