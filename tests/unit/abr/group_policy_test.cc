#include "abr/group_policy.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

constexpr base::Time kNow{1h};
constexpr base::Time kLongAgo = kNow - 1min;

BitRate mbps(double m) { return BitRate::mbps(m); }

TEST(GroupPolicyTest, OpensAPrivateGroupWhileThereIsRoom) {
  const std::vector<GroupView> groups{{0, mbps(4), 1}};
  EXPECT_EQ(GroupPolicy{2}.place(mbps(2), groups), std::nullopt);
}

TEST(GroupPolicyTest, PlacesANewcomerInTheFastestGroupHeSustains) {
  const std::vector<GroupView> groups{{0, mbps(1), 1}, {1, mbps(2), 1}, {2, mbps(4), 1}};
  EXPECT_EQ(GroupPolicy{3}.place(mbps(2), groups), 1u);
}

TEST(GroupPolicyTest, PlacesANewcomerInTheEmptiestOfEqualGroups) {
  const std::vector<GroupView> groups{{0, mbps(2), 5}, {1, mbps(2), 4}};
  EXPECT_EQ(GroupPolicy{2}.place(mbps(2), groups), 1u);
}

TEST(GroupPolicyTest, PlacesANewcomerInTheSlowestGroupWhenHeSustainsNone) {
  const std::vector<GroupView> groups{{0, mbps(4), 1}, {1, mbps(3), 1}};
  EXPECT_EQ(GroupPolicy{2}.place(mbps(1), groups), 1u);
}

TEST(GroupPolicyTest, SharesTheBestThereIsThoughThereIsRoom) {
  const std::vector<GroupView> groups{{0, mbps(1), 1}, {1, mbps(2), 1}};
  EXPECT_EQ(GroupPolicy::share(mbps(4), groups), 1u);
  EXPECT_EQ(GroupPolicy::share(mbps(4), {}), std::nullopt);
}

TEST(GroupPolicyTest, APrivateGroupFollowsItsViewer) {
  EXPECT_EQ(GroupPolicy{2}.rate({mbps(1)}), mbps(1));
}

TEST(GroupPolicyTest, OneBadViewerOfManyDoesNotLowerTheRate) {
  EXPECT_EQ(GroupPolicy{2}.rate({mbps(4), mbps(0.3), mbps(4)}), mbps(4));
}

TEST(GroupPolicyTest, TheRateFollowsWhatNearlyAllSustain) {
  std::vector<BitRate> members(20, mbps(4));
  for (std::size_t i = 0; i < 3; ++i) members[i] = mbps(1);
  EXPECT_EQ(GroupPolicy{2}.rate(members), mbps(1));
}

TEST(GroupPolicyTest, AnOverloadedViewerMovesDownAtOnce) {
  const std::vector<GroupView> groups{{0, mbps(4), 3}, {1, mbps(1), 1}};
  const auto move = GroupPolicy{2}.reconsider({0, mbps(1.5), kNow}, groups, kNow);
  ASSERT_TRUE(move);
  EXPECT_EQ(move->group, 1u);
  EXPECT_EQ(move->reason, Reason::kMoveDown);
}

TEST(GroupPolicyTest, AnOverloadedViewerStaysWhenNoGroupIsSlower) {
  const std::vector<GroupView> groups{{0, mbps(4), 3}, {1, mbps(4), 3}};
  EXPECT_FALSE(GroupPolicy{2}.reconsider({0, mbps(1), kLongAgo}, groups, kNow));
}

TEST(GroupPolicyTest, AnOverloadedViewerGetsAFreeGroup) {
  const std::vector<GroupView> groups{{0, mbps(4), 3}};
  const auto move = GroupPolicy{2}.reconsider({0, mbps(1), kLongAgo}, groups, kNow);
  ASSERT_TRUE(move);
  EXPECT_EQ(move->group, std::nullopt);
}

TEST(GroupPolicyTest, ARecoveredViewerMovesUpAfterTheDwell) {
  const std::vector<GroupView> groups{{0, mbps(1), 2}, {1, mbps(4), 8}};
  const GroupPolicy policy{2};
  EXPECT_FALSE(policy.reconsider({0, mbps(4), kNow - 1s}, groups, kNow));
  const auto move = policy.reconsider({0, mbps(4), kNow - 3s}, groups, kNow);
  ASSERT_TRUE(move);
  EXPECT_EQ(move->group, 1u);
  EXPECT_EQ(move->reason, Reason::kMoveUp);
}

TEST(GroupPolicyTest, APrivateViewerNeverMoves) {
  const std::vector<GroupView> groups{{0, mbps(4), 1}, {1, mbps(1), 1}};
  EXPECT_FALSE(GroupPolicy{2}.reconsider({0, mbps(0.3), kLongAgo}, groups, kNow));
}

TEST(GroupPolicyTest, ASmallGainIsNotWorthAMove) {
  const std::vector<GroupView> groups{{0, mbps(3.5), 2}, {1, mbps(4), 2}};
  EXPECT_FALSE(GroupPolicy{2}.reconsider({0, mbps(5), kLongAgo}, groups, kNow));
}

}  // namespace
}  // namespace abr
