#include "app/tcp/telemetry_budget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <vector>

namespace app {
namespace {

using namespace std::chrono_literals;

/// Viewers of one stream at 25 frames per second, which all receive each frame at the same time.
class TelemetryBudgetTest : public testing::Test {
 protected:
  static constexpr int kPerSecond = 3000;
  static constexpr int kFrames = 25;

  void join(std::size_t viewers) {
    for (std::size_t i = granted_.size(); i < viewers; ++i) {
      granted_.push_back(0);
      turns_.push_back(i);
    }
  }

  /// Runs one second and returns the cost granted in it.
  int second(unsigned cost = 1) {
    std::ranges::fill(granted_, 0);
    for (int frame = 0; frame < kFrames; ++frame) {
      for (std::size_t i = 0; i < granted_.size(); ++i) {
        if (budget_.grant(turns_[i], cost, urgent_.contains(i), now_))
          granted_[i] += static_cast<int>(cost);
      }
      now_ += base::Duration{1s} / kFrames;
    }
    return std::accumulate(granted_.begin(), granted_.end(), 0);
  }

  base::Time now_{1h};
  TelemetryBudget budget_{kPerSecond};
  std::vector<TelemetryBudget::Turn> turns_;
  std::vector<int> granted_;
  std::set<std::size_t> urgent_;
};

TEST_F(TelemetryBudgetTest, GrantsEveryFrameWithinTheBudget) {
  join(80);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(second(), 80 * kFrames);
  EXPECT_EQ(budget_.every_nth(), 1u);
}

TEST_F(TelemetryBudgetTest, ManyUrgentViewersLeaveTheOthersTheirTurns) {
  join(1000);  // request 25,000 per second
  for (std::size_t i = 0; i < 900; ++i) urgent_.insert(i);
  for (int i = 0; i < 5; ++i) second();
  EXPECT_GE(*std::min_element(granted_.begin() + 900, granted_.end()), 2);
}

TEST_F(TelemetryBudgetTest, IsNeverExceeded) {
  for (const std::size_t viewers : {50, 5000, 500, 200, 1000}) {
    join(viewers);
    for (int i = 0; i < 5; ++i) EXPECT_LE(second(), kPerSecond);
  }
}

TEST_F(TelemetryBudgetTest, IsSharedFairly) {
  join(1000);
  second();
  second();
  for (int i = 0; i < 10; ++i) {
    EXPECT_GT(second(), 0.7 * kPerSecond);
    EXPECT_GE(*std::ranges::min_element(granted_), 2);
    EXPECT_LE(*std::ranges::max_element(granted_), 3);
  }
  EXPECT_EQ(budget_.every_nth(), 10u);  // 25000 requested, nine tenths of 3000 granted in turn
}

TEST_F(TelemetryBudgetTest, UrgentViewersNeedNotWaitForTheirTurn) {
  join(1000);
  urgent_ = {7, 900};
  second();
  second();
  second();
  EXPECT_EQ(granted_[7], kFrames);
  EXPECT_EQ(granted_[900], kFrames);
  EXPECT_LE(granted_[8], 3);
}

TEST_F(TelemetryBudgetTest, UrgentViewersStayWithinTheBudget) {
  join(1000);
  for (std::size_t i = 0; i < 1000; ++i) urgent_.insert(i);
  second();
  EXPECT_LE(second(), kPerSecond);
}

TEST_F(TelemetryBudgetTest, ReturnsToEveryFrameWhenViewersLeave) {
  join(1000);
  second();
  second();
  granted_.resize(50);
  turns_.resize(50);
  second();
  second();
  EXPECT_EQ(second(), 50 * kFrames);
}

TEST_F(TelemetryBudgetTest, CountsTheCostOfAGrant) {
  join(80);
  second(2);
  EXPECT_LE(second(2), kPerSecond);
  EXPECT_EQ(budget_.every_nth(), 2u);
}

TEST_F(TelemetryBudgetTest, AnEmptyBudgetGrantsNothing) {
  TelemetryBudget none{0};
  TelemetryBudget::Turn turn = 0;
  EXPECT_FALSE(none.grant(turn, 1, false, now_));
  EXPECT_FALSE(none.grant(turn, 1, true, now_ + 2s));
  EXPECT_EQ(none.every_nth(), 0u);
}

TEST(LoopBudgetsTest, EachLoopHasItsOwnBudgets) {
  LoopBudgets budgets{2, {.samples_per_second = 10, .ack_timestamps_per_second = 0}};
  TelemetryBudget::Turn turn = 0;
  for (int i = 0; i < 100; ++i) budgets.of(0).samples.grant(turn, 1, false, base::Time{1h});
  budgets.of(0).samples.grant(turn, 1, false, base::Time{1h + 1s});
  const auto states = budgets.states();
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0].sampled_every_nth, 12u);
  EXPECT_EQ(states[0].timestamped_every_nth, 0u);
  EXPECT_EQ(states[1].sampled_every_nth, 1u);
}

}  // namespace
}  // namespace app
