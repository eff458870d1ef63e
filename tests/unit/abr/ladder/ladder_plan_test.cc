#include "abr/ladder/ladder_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace abr {
namespace {

using base::BitRate;

BitRate mbps(double m) { return BitRate::mbps(m); }

RateHistogram histogram(const std::vector<BitRate>& rates) {
  RateHistogram result;
  for (const auto rate : rates) result.add(rate);
  return result;
}

std::vector<double> rates(const Plan& plan) {
  std::vector<double> result;
  for (const auto& rung : plan) result.push_back(static_cast<double>(rung.rate.bps()) / 1e6);
  return result;
}

double value_of(const Plan& plan, const std::vector<BitRate>& viewers) {
  double sum = 0;
  for (const auto v : viewers) sum += value(v, rung_of(v, plan).rate);
  return sum;
}

/// The highest value of all partitions of `sorted` from `first` on, by trying them.
double exhaustive(const std::vector<BitRate>& sorted, std::size_t first, std::size_t groups) {
  if (first == sorted.size()) return 0;
  if (groups == 0) return -1e9;
  double best = -1e9;
  for (std::size_t end = first + 1; end <= sorted.size(); ++end) {
    const std::vector<BitRate> members(sorted.begin() + static_cast<std::ptrdiff_t>(first),
                                       sorted.begin() + static_cast<std::ptrdiff_t>(end));
    const auto rate = shared_rate(histogram(members));
    double sum = exhaustive(sorted, end, groups - 1);
    for (const auto v : members) sum += value(v, rate);
    best = std::max(best, sum);
  }
  return best;
}

std::vector<BitRate> random_viewers(std::mt19937& random, std::size_t count, double sigma) {
  std::lognormal_distribution<> capacity{std::log(2e6), sigma};
  std::vector<BitRate> viewers;
  for (std::size_t i = 0; i < count; ++i) {
    viewers.emplace_back(static_cast<std::int64_t>(std::max(1e5, capacity(random))));
  }
  return viewers;
}

TEST(RateHistogramTest, ForgetsRemovedViewers) {
  auto h = histogram({mbps(1), mbps(2), mbps(2)});
  h.remove(mbps(2));
  EXPECT_EQ(h.viewers(), 2u);
  h.remove(mbps(2));
  ASSERT_EQ(h.bins().size(), 1u);
  EXPECT_EQ(h.bins().begin()->second.lowest, mbps(1));
}

TEST(LadderPlanTest, TheValueOfARateIsItsLogarithm) {
  EXPECT_NEAR(value(mbps(4), mbps(2)) - value(mbps(4), mbps(1)), std::log(2), 1e-9);
}

TEST(LadderPlanTest, ARateThatIsTooHighIsWorthLessThanTheRateSustained) {
  EXPECT_NEAR(value(mbps(1), mbps(1)) - value(mbps(1), mbps(2)), kSkipPenalty * std::log(2), 1e-9);
}

TEST(LadderPlanTest, AGroupOfOneHasTheRateItsViewerSustains) {
  EXPECT_EQ(shared_rate(histogram({mbps(1.2345)})), mbps(1.2345));
}

TEST(LadderPlanTest, ASmallGroupHasTheRateThatAllItsViewersSustain) {
  EXPECT_EQ(shared_rate(histogram({mbps(0.5), mbps(4), mbps(4)})), mbps(0.5));
}

TEST(LadderPlanTest, ALargeGroupLeavesItsSlowestViewersBehind) {
  std::vector<BitRate> members(100, mbps(4));
  for (std::size_t i = 0; i < 5; ++i) members[i] = mbps(1);
  EXPECT_EQ(shared_rate(histogram(members)), mbps(4));
  members[5] = mbps(1);
  EXPECT_EQ(shared_rate(histogram(members)), mbps(1));
}

TEST(LadderPlanTest, GivesEachRateItsOwnGroupWhileThereAreEnough) {
  EXPECT_EQ(rates(plan_ladder(histogram({mbps(3), mbps(1), mbps(2), mbps(2)}), 4)),
            (std::vector{1.0, 2.0, 3.0}));
}

TEST(LadderPlanTest, SeparatesClusters) {
  EXPECT_EQ(rates(plan_ladder(histogram({mbps(1), mbps(1.01), mbps(4), mbps(4.01)}), 2)),
            (std::vector{1.0, 4.0}));
}

TEST(LadderPlanTest, AViewerBelowAllRungsGetsTheSlowest) {
  const auto plan = plan_ladder(histogram({mbps(1), mbps(2)}), 2);
  EXPECT_EQ(rung_of(mbps(0.5), plan).rate, mbps(1));
  EXPECT_EQ(rung_of(mbps(1.9), plan).rate, mbps(1));
  EXPECT_EQ(rung_of(mbps(9), plan).rate, mbps(2));
}

TEST(LadderPlanTest, IsAsGoodAsTheBestOfAllPartitions) {
  std::mt19937 random{4};
  for (int i = 0; i < 50; ++i) {
    auto viewers = random_viewers(random, 10, 0.8);
    std::ranges::sort(viewers);
    for (const std::size_t groups : {1u, 2u, 3u}) {
      const auto found = value_of(plan_ladder(histogram(viewers), groups), viewers);
      // Rates within a bin count as one, and a group is not worth 0.5 % of everybody's rate.
      EXPECT_NEAR(found, exhaustive(viewers, 0, groups), 0.1) << i << ": " << groups;
    }
  }
}

TEST(LadderPlanTest, AGroupThatIsHardlyWorthItIsNotPlanned) {
  const auto viewers = histogram({mbps(1), mbps(1), mbps(4), mbps(4), mbps(4.06)});
  EXPECT_EQ(rates(plan_ladder(viewers, 8)), (std::vector{1.0, 4.0}));
  const auto apart = histogram({mbps(1), mbps(1), mbps(4), mbps(4.4), mbps(4.4)});
  EXPECT_EQ(rates(plan_ladder(apart, 8)), (std::vector{1.0, 4.0, 4.4}));
}

TEST(LadderPlanTest, MoreGroupsAreNeverMuchWorse) {
  std::mt19937 random{5};
  const auto viewers = random_viewers(random, 1000, 0.7);
  const auto all = histogram(viewers);
  double before = -1e9;
  for (std::size_t groups = 1; groups <= 16; ++groups) {
    const double sum = value_of(plan_ladder(all, groups), viewers);
    EXPECT_GE(sum, before - 0.005 * 1000);
    before = sum;
  }
}

TEST(LadderPlanTest, MergesBinsIfThereAreTooMany) {
  std::vector<BitRate> viewers;
  for (double rate = 3e4; rate < 2e8; rate *= 1.01) viewers.emplace_back(static_cast<int>(rate));
  ASSERT_GT(viewers.size(), 2 * kMaxPlanCells);
  const auto plan = plan_ladder(histogram(viewers), kMaxPlanCells);
  EXPECT_LE(plan.size(), kMaxPlanCells);
  EXPECT_EQ(plan.front().rate, viewers.front());
}

}  // namespace
}  // namespace abr
