#include "abr/ladder/encode_budget.h"

#include <gtest/gtest.h>

#include <vector>

namespace abr {
namespace {

using namespace std::chrono_literals;

/// Encoders of 1280x720 at 30 frames per second, in virtual time.
class EncodeBudgetTest : public testing::Test {
 protected:
  explicit EncodeBudgetTest(bool chooses_effort = false) : budget_{2, 0.8, chooses_effort} {}

  static constexpr std::int64_t kPixels = 1280 * 720;

  EncodeBudget::Verdict second(std::uint64_t late = 0) {
    now_ += 1s;
    for (auto& e : encoders_) {
      e.frames += 30 - late;
      e.late += late;
      e.cpu += static_cast<int>(30 - late) * frame_;
    }
    return budget_.update(encoders_, others_, now_);
  }
  EncodeBudget::Verdict seconds(int count, std::uint64_t late = 0) {
    EncodeBudget::Verdict last;
    for (int i = 0; i < count; ++i) last = second(late);
    return last;
  }
  void open(std::uint32_t group) { encoders_.push_back({.group = group, .pixels = kPixels}); }

  base::Time now_{1h};
  base::Duration frame_ = 10ms;  ///< CPU time: 0.3 CPUs for an encoder
  std::vector<EncodeBudget::Encoder> encoders_;
  EncodeBudget::Others others_;
  EncodeBudget budget_;
};

TEST_F(EncodeBudgetTest, KnowsNothingBeforeItHasMeasured) {
  EXPECT_EQ(budget_.update({}, {}, now_).held, std::nullopt);
}

TEST_F(EncodeBudgetTest, HoldsTheGroupsThatTheMeasuredCostAllows) {
  open(0);
  EXPECT_EQ(seconds(2).held, 5u);  // 1.6 / 0.3
  EXPECT_NEAR(budget_.load(), 0.3, 1e-6);
}

TEST_F(EncodeBudgetTest, LeavesOtherStreamsTheirLoad) {
  open(0);
  others_.encoders = 0.9;
  EXPECT_EQ(seconds(2).held, 2u);
}

TEST_F(EncodeBudgetTest, OnlyASecondGroupIsOpenedWhileTheEventLoopsAreLate) {
  open(0);
  others_.late = true;
  EXPECT_EQ(seconds(2).held, 2u);
  frame_ = 30ms;  // 0.9 CPUs for an encoder
  EXPECT_EQ(seconds(20).held, 1u);
  frame_ = 10ms;
  others_.late = false;
  EXPECT_EQ(seconds(20).held, 5u);
}

TEST_F(EncodeBudgetTest, LeavesTheEventLoopsTheirLoad) {
  open(0);
  others_.rest = 0.2;
  EXPECT_EQ(seconds(2).held, 5u) << "the share of the encoders leaves that much";
  others_.rest = 1.1;
  EXPECT_EQ(seconds(2).held, 2u);  // (0.9 * 2 - 1.1) / 0.3
}

TEST_F(EncodeBudgetTest, ShedsAGroupBeforeViewersWaitForACpu) {
  for (const auto group : {0u, 1u, 2u}) open(group);
  others_.rest = 0.95;
  EXPECT_FALSE(seconds(10).shed) << "nearly full";
  others_.rest = 1.05;
  EXPECT_FALSE(second().shed) << "for a moment";
  EXPECT_TRUE(second().shed);
  encoders_.pop_back();
  EXPECT_EQ(second().held, 2u);
  EXPECT_FALSE(seconds(10).shed);
}

TEST_F(EncodeBudgetTest, OnlyTheStreamWithTheHighestLoadShedsForTheViewers) {
  for (const auto group : {0u, 1u}) open(group);
  others_ = {.encoders = 0.7, .most = 0.7, .rest = 1};
  EXPECT_FALSE(seconds(10).shed);
  others_.most = 0.4;
  EXPECT_TRUE(seconds(2).shed);
}

TEST_F(EncodeBudgetTest, HoldsOneGroupAtAnyCost) {
  open(0);
  frame_ = 100ms;
  EXPECT_EQ(seconds(3).held, 1u);
}

TEST_F(EncodeBudgetTest, LargerFramesCostMore) {
  open(0);
  seconds(2);
  encoders_[0].pixels *= 4;
  frame_ *= 4;
  EXPECT_EQ(second().held, 1u);
}

TEST_F(EncodeBudgetTest, ShedsAGroupWhenFramesAreLostForTwoSeconds) {
  open(0);
  open(1);
  seconds(2);
  EXPECT_FALSE(second(3).shed);
  const auto verdict = second(3);
  EXPECT_TRUE(verdict.shed);
  EXPECT_EQ(verdict.held, 1u);
}

TEST_F(EncodeBudgetTest, ABurstOfLostFramesShedsNothing) {
  open(0);
  open(1);
  seconds(2);
  EXPECT_FALSE(second(10).shed);
  EXPECT_FALSE(second(0).shed);
  EXPECT_FALSE(second(10).shed);
}

TEST_F(EncodeBudgetTest, TheLastGroupIsNeverShed) {
  open(0);
  EXPECT_FALSE(seconds(10, 10).shed);
}

TEST_F(EncodeBudgetTest, TriesAgainAfterADoublingHold) {
  open(0);
  open(1);
  seconds(2);
  seconds(2, 3);
  EXPECT_EQ(seconds(29).held, 1u);
  EXPECT_EQ(second().held, 5u);
  seconds(2, 3);
  EXPECT_EQ(seconds(59).held, 1u);
  EXPECT_EQ(second().held, 5u);
}

TEST_F(EncodeBudgetTest, ANewEncoderUnderAnOldIndexCountsFromItsSecondWindow) {
  open(0);
  seconds(3);
  encoders_[0] = {.group = 0, .pixels = kPixels};
  EXPECT_EQ(seconds(2).held, 5u);
}

TEST_F(EncodeBudgetTest, ANewEncoderDoesNotInheritLateFrames) {
  for (std::uint32_t group : {0, 1}) open(group);
  second(20);
  second(20);
  encoders_[0] = {.group = 0, .pixels = kPixels};
  EXPECT_FALSE(second().shed);
}

/// Encoders whose cost follows the effort.
class ChosenEffortTest : public EncodeBudgetTest {
 protected:
  ChosenEffortTest() : EncodeBudgetTest{true} { open(0); }

  EncodeBudget::Verdict steady(int count, std::uint64_t late = 0) {
    for (int i = 0; i < count; ++i) {
      frame_ = std::chrono::duration_cast<base::Duration>(cost_of_first_ *
                                                          EncoderEffort::kCosts[last_.effort]);
      last_ = second(late);
    }
    return last_;
  }

  base::Duration cost_of_first_ = 5ms;
  EncodeBudget::Verdict last_;
};

TEST_F(ChosenEffortTest, TheGroupsHeldAreThoseAtTheFirstEffort) {
  EXPECT_EQ(steady(2).held, 10u);  // 1.6 / 0.15
  EXPECT_EQ(last_.effort, EncoderEffort::kFirst);
  EXPECT_GT(steady(30).effort, EncoderEffort::kFirst);
  EXPECT_EQ(last_.held, 10u);
}

TEST_F(ChosenEffortTest, ALowerEffortComesBeforeAGroupIsShed) {
  open(1);
  EXPECT_GT(steady(30).effort, EncoderEffort::kFirst);
  const auto late = steady(1, 10);
  EXPECT_EQ(late.effort, 0u);
  EXPECT_FALSE(late.shed);
  EXPECT_FALSE(steady(1).shed);
  EXPECT_FALSE(steady(1, 10).shed);
  EXPECT_TRUE(steady(1, 10).shed) << "the lowest effort is too much";
}

TEST_F(ChosenEffortTest, LateEventLoopsLeaveTheFirstEffort) {
  EXPECT_GT(steady(30).effort, EncoderEffort::kFirst);
  others_.late = true;
  EXPECT_EQ(steady(1).effort, EncoderEffort::kFirst);
  EXPECT_EQ(steady(60).effort, EncoderEffort::kFirst);
}

}  // namespace
}  // namespace abr
