#include "abr/ladder/group_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

constexpr base::Time kNow{1h};
constexpr base::Time kLongAgo = kNow - 1min;

BitRate mbps(double m) { return BitRate::mbps(m); }

/// Groups, together with their members' histograms.
class Groups {
 public:
  void add(double rate, const std::vector<double>& members) {
    auto& histogram = histograms_.emplace_back();
    for (const double m : members) histogram.add(mbps(m));
    const auto index = static_cast<std::uint32_t>(views_.size());
    views_.push_back({index, mbps(rate), members.size(), &histogram});
  }
  std::span<const GroupView> views() const { return views_; }
  const GroupView& operator[](std::size_t i) const { return views_[i]; }

 private:
  std::deque<RateHistogram> histograms_;
  std::vector<GroupView> views_;
};

using Many = std::vector<double>;

TEST(GroupPolicyTest, SharesTheFastestGroupThatTheViewerSustains) {
  Groups groups;
  for (const double rate : {1, 2, 4}) groups.add(rate, {rate});
  EXPECT_EQ(share(mbps(2), groups.views()), 1u);
}

TEST(GroupPolicyTest, SharesTheFullestOfEqualGroups) {
  Groups groups;
  groups.add(2, {2});
  groups.add(2, {2, 2});
  EXPECT_EQ(share(mbps(2), groups.views()), 1u);
}

TEST(GroupPolicyTest, SharesTheSlowestGroupIfTheViewerSustainsNone) {
  Groups groups;
  groups.add(4, {4});
  groups.add(3, {3});
  EXPECT_EQ(share(mbps(1), groups.views()), 1u);
  EXPECT_EQ(share(mbps(1), {}), std::nullopt);
}

TEST(GroupPolicyTest, AViewerIsMisplacedAtOnceIfTheyCannotSustainTheirGroup) {
  Groups groups;
  groups.add(4, {4, 4, 3});
  EXPECT_EQ(misplaced({0, mbps(3.7), kNow}, groups[0], kNow), std::nullopt);
  EXPECT_EQ(misplaced({0, mbps(3), kNow}, groups[0], kNow), Reason::kMoveDown);
}

TEST(GroupPolicyTest, AViewerDwellsBeforeMovingUp) {
  Groups groups;
  groups.add(1, {1, 4});
  EXPECT_EQ(misplaced({0, mbps(4), kNow - 2s}, groups[0], kNow), std::nullopt);
  EXPECT_EQ(misplaced({0, mbps(4), kNow - 3s}, groups[0], kNow), Reason::kMoveUp);
}

TEST(GroupPolicyTest, APrivateViewerIsNeverMisplaced) {
  Groups groups;
  groups.add(4, {0.3});
  EXPECT_EQ(misplaced({0, mbps(0.3), kLongAgo}, groups[0], kNow), std::nullopt);
}

TEST(GroupPolicyTest, AnOverloadedViewerStaysIfNoGroupIsSlower) {
  Groups groups;
  groups.add(4, {4, 4, 1});
  groups.add(4, {4, 4});
  EXPECT_EQ(better_group({0, mbps(1), kNow}, groups[0], Reason::kMoveDown, groups.views()),
            std::nullopt);
}

TEST(GroupPolicyTest, ASmallGainDoesNotMoveAViewer) {
  Groups groups;
  groups.add(3.8, {3.8, 5});
  groups.add(4, {4, 4});
  EXPECT_EQ(better_group({0, mbps(5), kLongAgo}, groups[0], Reason::kMoveUp, groups.views()),
            std::nullopt);
}

TEST(GroupPolicyTest, RearrangesGroupsForALargeGain) {
  Groups groups;
  groups.add(1, {1, 1, 1, 4, 4, 4});
  const auto layout = rearrange(groups.views(), 2, false);
  ASSERT_TRUE(layout);
  ASSERT_EQ(layout->plan.size(), 2u);
  EXPECT_EQ(layout->plan[0].rate, mbps(1));
  EXPECT_EQ(layout->plan[1].rate, mbps(4));
  EXPECT_EQ(layout->groups[0], 0u);
  EXPECT_EQ(layout->groups[1], std::nullopt);
}

TEST(GroupPolicyTest, DoesNotRearrangeForASmallGain) {
  Groups groups;
  groups.add(1, {1, 1.01, 1.01});
  groups.add(4, {4, 4.03, 4.03});
  EXPECT_FALSE(rearrange(groups.views(), 3, false));
}

TEST(GroupPolicyTest, APlanMovesAsFewViewersAsPossible) {
  Groups groups;
  groups.add(1.5, {1.5});
  groups.add(1.5, {1.5, 1.5, 1.5, 0.4});
  const auto layout = rearrange(groups.views(), 2, false);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->groups, (std::vector<std::optional<std::uint32_t>>{0, 1}));
}

TEST(GroupPolicyTest, APlanMovesFewViewersEvenIfGroupsSwapTheirOrder) {
  Groups groups;
  groups.add(1.45, {1.5, 1.5, 1.5, 0.4});
  groups.add(1.5, {1.5});
  const auto layout = rearrange(groups.views(), 2, false);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->groups, (std::vector<std::optional<std::uint32_t>>{1, 0}));
}

TEST(GroupPolicyTest, APlanChangesRatesAsLittleAsPossible) {
  Groups groups;
  groups.add(3, {1, 4});
  groups.add(1.5, {1, 4});
  const auto layout = rearrange(groups.views(), 2, false);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->groups, (std::vector<std::optional<std::uint32_t>>{1, 0}));
}

TEST(GroupPolicyTest, APlanClosesTheGroupWithFewestViewers) {
  Groups groups;
  groups.add(1.2, {1, 1});
  groups.add(1.2, {1, 4});
  groups.add(4, {4, 4});
  const auto layout = rearrange(groups.views(), 2, false);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->groups, (std::vector<std::optional<std::uint32_t>>{0, 2}));
}

TEST(GroupPolicyTest, ANewGroupIsForViewersThatMove) {
  Groups groups;
  groups.add(1, {0.5, 1, 1, 1, 1});
  groups.add(4, {4, 4});
  const auto layout = rearrange(groups.views(), 3, false);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->groups, (std::vector<std::optional<std::uint32_t>>{std::nullopt, 0, 1}));
}

TEST(GroupPolicyTest, AGuardedPlanCostsNoViewerFivePercent) {
  Groups groups;
  groups.add(2, {2, 0.3});
  groups.add(3, {3});
  EXPECT_FALSE(rearrange(groups.views(), 2, true));
  EXPECT_TRUE(rearrange(groups.views(), 2, false));
}

TEST(GroupPolicyTest, ThePlanPutsEachViewerOnTheirRung) {
  const Layout layout{{{mbps(1), mbps(1)}, {mbps(4), mbps(4)}}, {0, 1}};
  EXPECT_EQ(next_rung({0, mbps(4), kLongAgo}, mbps(1), layout, kNow), 1u);
  EXPECT_EQ(next_rung({0, mbps(1), kLongAgo}, mbps(1), layout, kNow), std::nullopt);
  EXPECT_EQ(next_rung({1, mbps(1), kNow}, mbps(4), layout, kNow), 0u);
}

TEST(GroupPolicyTest, ThePlanWaitsForTheDwellUnlessThatCostsTheViewer) {
  const Layout layout{{{mbps(1), mbps(1)}, {mbps(4), mbps(4)}}, {0, 1}};
  EXPECT_EQ(next_rung({0, mbps(4), kNow - 2s}, mbps(1), layout, kNow), std::nullopt);
  // The viewer's group will be the slower one.
  EXPECT_EQ(next_rung({0, mbps(4), kNow - 2s}, mbps(3), layout, kNow), 1u);
}

TEST(GroupPolicyTest, SuitsAViewerUpToAFifthBelowThem) {
  EXPECT_TRUE(suits(mbps(2), mbps(2)));
  EXPECT_TRUE(suits(mbps(2), mbps(1.7)));
  EXPECT_FALSE(suits(mbps(2), mbps(1.5)));
  EXPECT_FALSE(suits(mbps(2), mbps(2.1)));
}

testing::Matcher<std::optional<Merger>> merges(std::uint32_t from, std::uint32_t into) {
  return testing::Optional(
      testing::AllOf(testing::Field(&Merger::from, from), testing::Field(&Merger::into, into)));
}

TEST(GroupPolicyTest, TheEmptierOfTwoGroupsOfNearlyOneRateGoes) {
  Groups groups;
  groups.add(2, Many(9, 2));
  groups.add(3.9, Many(9, 4));
  groups.add(4, Many(8, 4));
  EXPECT_THAT(find_merger(groups.views()), merges(2, 1));
  groups.add(3.8, Many(2, 3.8));
  EXPECT_THAT(find_merger(groups.views()), merges(3, 1));
}

TEST(GroupPolicyTest, OfEqualRatesTheFullestGroupStays) {
  Groups groups;
  groups.add(4, {4});
  groups.add(4, Many(8, 4));
  groups.add(4, {4, 4});
  EXPECT_THAT(find_merger(groups.views()), merges(0, 2));
}

TEST(GroupPolicyTest, GroupsFivePercentApartStay) {
  Groups groups;
  groups.add(3.7, Many(8, 4));
  groups.add(4, Many(8, 4));
  EXPECT_EQ(find_merger(groups.views()), std::nullopt);
}

TEST(GroupPolicyTest, AGroupThatOnlyDrainsABacklogStays) {
  Groups groups;
  groups.add(2, Many(8, 2));
  groups.add(2, {4});
  EXPECT_EQ(find_merger(groups.views()), std::nullopt);
}

TEST(GroupPolicyTest, AnEmptyGroupIsNotMerged) {
  Groups groups;
  groups.add(4, Many(8, 4));
  groups.add(4, {});
  EXPECT_EQ(find_merger(groups.views()), std::nullopt);
}

TEST(GroupPolicyTest, TheLeastValuableGroupHasTheLeastLoss) {
  Groups groups;
  groups.add(1, Many(5, 1));
  groups.add(3, Many(5, 3));  // five lose ln 3 each
  groups.add(4, Many(9, 4));  // nine lose ln 4/3 each
  EXPECT_EQ(least_valuable(groups.views()), 2u);
}

TEST(GroupPolicyTest, AnEmptyGroupIsTheLeastValuableEvenIfItIsTheSlowest) {
  Groups groups;
  groups.add(1, {});
  groups.add(3, {3});
  groups.add(4, {4, 4});
  EXPECT_EQ(least_valuable(groups.views()), 0u);
}

TEST(GroupPolicyTest, TheOnlyGroupIsNotLeastValuable) {
  Groups groups;
  groups.add(1, {1});
  EXPECT_EQ(least_valuable(groups.views()), std::nullopt);
}

}  // namespace
}  // namespace abr
