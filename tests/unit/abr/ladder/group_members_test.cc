#include "abr/ladder/group_members.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

constexpr base::Time kNow{1h};
constexpr auto kUnproven = Standing::kUnproven;
constexpr auto kModest = Standing::kModest;
constexpr auto kProven = Standing::kProven;

BitRate mbps(double m) { return BitRate::mbps(m); }

/// A fall from 4 Mbit/s.
GroupMembers::Fall fall(double to) { return {kNow, mbps(4), mbps(to)}; }

GroupMembers members(const std::vector<double>& rates) {
  GroupMembers result;
  for (const double rate : rates) result.join(mbps(rate), kProven);
  return result;
}

TEST(GroupMembersTest, APrivateGroupFollowsItsViewer) {
  const auto group = members({0.5});
  EXPECT_TRUE(group.is_private());
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(0.5));
}

TEST(GroupMembersTest, AViewerThatCollapsesAloneCountsAsBeforeFor30Seconds) {
  auto group = members({0.5, 4, 5});
  group.note_fall(1, fall(0.5), kProven);
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(4));
  group.forgive(kNow + 29s);
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(4));
  group.forgive(kNow + 30s);
  EXPECT_TRUE(group.is_stale());
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(0.5));
}

TEST(GroupMembersTest, The30SecondsBeginWithTheFirstReport) {
  auto group = members({0.5, 4, 5});
  group.note_fall(1, fall(0.5), kProven);
  for (int i = 1; i < 30; ++i) group.note_fall(1, {kNow + i * 1s, mbps(4), mbps(0.5)}, kProven);
  group.forgive(kNow + 30s);
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(0.5));
  group.note_fall(1, {kNow + 31s, mbps(4), mbps(0.5)}, kProven);
  EXPECT_EQ(group.fallen(), 0u) << "still the first fall";
}

TEST(GroupMembersTest, AViewerMayFallAgainAfterTheGroupCameDown) {
  auto group = members({0.5, 4, 5});
  group.note_fall(1, fall(0.5), kProven);
  group.forgive(kNow + 30s);
  group.change(1, mbps(0.5), mbps(0.1), kProven);
  group.note_fall(1, {kNow + 40s, mbps(0.5), mbps(0.1)}, kProven);
  EXPECT_EQ(group.next_rate(mbps(0.5)), mbps(0.5));
}

TEST(GroupMembersTest, AViewerThatIsBackHasNotFallen) {
  auto group = members({0.5, 4, 5});
  group.note_fall(1, fall(0.5), kProven);
  group.change(1, mbps(0.5), mbps(3), kProven);
  EXPECT_EQ(group.fallen(), 1u);
  group.change(1, mbps(3), mbps(3.9), kProven);
  EXPECT_EQ(group.fallen(), 0u);
}

TEST(GroupMembersTest, TheRateOfAFallenViewerMayChange) {
  auto group = members({0.5, 4, 5});
  group.note_fall(1, fall(0.5), kProven);
  group.change(1, mbps(0.5), mbps(0.7), kProven);
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(4));
  group.change(1, mbps(0.7), mbps(4.5), kProven);
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(4));
}

TEST(GroupMembersTest, TheFallOfALeavingViewerIsForgotten) {
  auto group = members({0.5, 4, 5});
  group.note_fall(1, fall(0.5), kProven);
  EXPECT_EQ(group.fall(1)->at, kNow);
  group.leave(1, mbps(0.5), kProven);
  EXPECT_FALSE(group.fall(1));
  EXPECT_EQ(group.fallen(), 0u);
}

TEST(GroupMembersTest, TwoViewersThatCollapseLowerTheRate) {
  auto group = members({0.5, 0.6, 5});
  group.note_fall(1, fall(0.5), kProven);
  group.note_fall(2, fall(0.6), kProven);
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(0.5));
}

TEST(GroupMembersTest, ALeavingViewerCountsUntilTheyHaveSwitched) {
  auto group = members({0.5, 4});
  group.leave(2, mbps(4), kProven);
  group.depart(mbps(4), mbps(4), true, kNow + 1s);
  group.note_fall(1, fall(0.5), kProven);
  EXPECT_FALSE(group.is_private());
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(4));
  group.settle();
  group.end_departures(kNow + 1s);
  EXPECT_TRUE(group.is_stale());
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(0.5));
}

TEST(GroupMembersTest, ALeavingViewerThatCannotSustainTheRateDoesNotCount) {
  auto group = members({4, 1});
  group.leave(2, mbps(1), kProven);
  group.depart(mbps(1), mbps(4), true, kNow + 1s);
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(4));
  group.leave(1, mbps(4), kProven);
  EXPECT_FALSE(group.is_empty());
  group.end_departures(kNow + 1s);
  EXPECT_TRUE(group.is_empty());
}

TEST(GroupMembersTest, ALeavingViewerThatHasFallenDoesNotCount) {
  auto group = members({4, 3.7});
  group.leave(2, mbps(3.7), kProven);
  group.depart(mbps(3.7), mbps(4), false, kNow + 1s);
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(4));
}

TEST(GroupMembersTest, ACrowdsRateDoesNotFollowSmallFallsOfTheSlowest) {
  std::vector<double> rates(40, 4);
  for (int i = 0; i < 4; ++i) rates[i] = 3.8;
  EXPECT_EQ(members(rates).next_rate(mbps(4)), mbps(4));
  for (int i = 0; i < 4; ++i) rates[i] = 3.5;
  EXPECT_EQ(members(rates).next_rate(mbps(4)), mbps(3.5));
}

TEST(GroupMembersTest, ASmallGroupFollowsItsSlowestViewer) {
  EXPECT_EQ(members({3.8, 4, 4}).next_rate(mbps(4)), mbps(3.8));
}

TEST(GroupMembersTest, ThoseWhoTakeNothingDoNotLowerTheRateOfOthers) {
  auto group = members({4, 4, 4});
  for (int i = 0; i < 10; ++i) group.join(mbps(0.3), kUnproven);
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(4));
  EXPECT_FALSE(group.serves_one());
}

TEST(GroupMembersTest, ThoseWhoAskForLittleDoNotLowerTheRateOfOthers) {
  auto group = members({4});
  for (int i = 0; i < 10; ++i) group.join(mbps(0.3), kModest);
  EXPECT_TRUE(group.is_private()) << "the rate is for one";
  EXPECT_FALSE(group.serves_one()) << "the frames are not";
  group.leave(1, mbps(4), kProven);
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(0.3)) << "nobody else is left";
}

TEST(GroupMembersTest, ViewersWithoutProofCountAmongThemselves) {
  GroupMembers group;
  for (const double rate : {4, 2}) group.join(mbps(rate), kUnproven);
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(2));
  EXPECT_EQ(group.best_standing(), kUnproven);
}

TEST(GroupMembersTest, ProofMakesAViewerCount) {
  auto group = members({4, 4});
  group.join(mbps(1), kUnproven);
  group.settle();
  group.change_standing(3, mbps(1), kUnproven, kProven);
  EXPECT_TRUE(group.is_stale());
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(1));
  group.change_standing(3, mbps(1), kProven, kUnproven);
  EXPECT_EQ(group.next_rate(mbps(1)), mbps(4));
}

TEST(GroupMembersTest, AFallIsOnlySeenInThoseWhoCount) {
  auto group = members({4, 4});
  for (const GroupMembers::ViewerId viewer : {3, 4}) {
    group.join(mbps(0.5), kUnproven);
    group.note_fall(viewer, fall(0.5), kUnproven);
  }
  EXPECT_EQ(group.fallen(), 0u);
  group.change_standing(3, mbps(0.5), kUnproven, kProven);
  EXPECT_EQ(group.fallen(), 1u);
  EXPECT_EQ(group.next_rate(mbps(4)), mbps(4)) << "one who falls alone does not lower the rate";
}

}  // namespace
}  // namespace abr
