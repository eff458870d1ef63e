#include "app/stream/ladder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <system_error>
#include <utility>

namespace app {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

/// A ladder whose actions are only logged.
class LadderTest : public testing::Test, protected LadderActions {
 protected:
  void open(GroupIndex group, BitRate rate) override {
    if (broken_) throw std::system_error{EAGAIN, std::generic_category()};
    note("open", group, rate);
  }
  void close(GroupIndex group) override { log_.push_back("close " + std::to_string(group)); }
  void retarget(GroupIndex group, BitRate rate) override { note("retarget", group, rate); }
  media::Pts schedule_keyframe(GroupIndex, base::Duration earliest) override {
    return 10s + (*time_ - now_) + earliest;
  }
  void move(ViewerId viewer, GroupIndex group, media::Pts at, abr::Reason reason) override {
    moving_[viewer] = group;
    log_.push_back("move " + std::to_string(viewer) + " to " + std::to_string(group) + " at " +
                   std::to_string(at / 1ms) + ": " + abr::name(reason));
  }

  void note(const std::string& action, Ladder::GroupIndex group, BitRate rate) {
    log_.push_back(action + " " + std::to_string(group) + " " + std::to_string(rate.bps() / 1000));
  }

  std::vector<std::string> take_log() { return std::exchange(log_, {}); }

  using Log = std::vector<std::string>;
  Log log_;
  bool broken_ = false;  ///< whether opening an encoder fails
  std::map<ViewerId, GroupIndex> moving_;
  base::Time now_{1h};
  transcoder::MediaClock media_clock_{{.monotonic = now_ - 10s}};
  transcoder::StreamClock clock_{media_clock_, 2s, now_ - 10s};
  const base::Time* time_ = &now_;  ///< the current time, for keyframes
  Ladder ladder_{{.max = 2, .linger = 5s}, clock_, *this};
};

constexpr abr::Decision kCollapse{BitRate::kbps(500), abr::Reason::kRexmt};

TEST_F(LadderTest, OpensAPrivateGroupForEachViewerUntilTheMaximum) {
  EXPECT_EQ(ladder_.join(1, BitRate::mbps(2), now_), 0u);
  EXPECT_EQ(ladder_.join(2, BitRate::mbps(2), now_), 1u);
  EXPECT_EQ(take_log(), (Log{"open 0 2000", "open 1 2000"}));
}

TEST_F(LadderTest, SharesAGroupBeyondTheMaximum) {
  for (Ladder::ViewerId v : {1, 2, 3}) ladder_.join(v, BitRate::mbps(2), now_);
  EXPECT_EQ(ladder_.state().groups.size(), 2u);
}

TEST_F(LadderTest, APrivateGroupFollowsItsViewerAtOnce) {
  ladder_.join(1, BitRate::mbps(2), now_);
  take_log();
  ladder_.report(1, {BitRate::mbps(1.1), abr::Reason::kDupack}, now_);
  EXPECT_EQ(take_log(), Log{"retarget 0 1100"});
  EXPECT_EQ(ladder_.state().groups.at(0).reason, abr::Reason::kDupack);
}

TEST_F(LadderTest, ACollapsedViewerGetsAPrivateGroupAndTheOthersKeepTheirRate) {
  for (Ladder::ViewerId v = 1; v <= 10; ++v) ladder_.join(v, BitRate::mbps(2), now_);
  take_log();
  ladder_.report(10, kCollapse, now_);
  ladder_.tick(now_);
  EXPECT_EQ(take_log(), (Log{"move 2 to 0 at 10100: members", "move 10 to 1 at 10100: move_down"}));
  EXPECT_EQ(ladder_.state().groups.at(0).viewers, 9u);
  EXPECT_EQ(ladder_.state().groups.at(0).rate, BitRate::mbps(2));
}

TEST_F(LadderTest, ANewViewersGuessDoesNotLowerTheGroupsRate) {
  Ladder ladder{{.max = 1}, clock_, *this};
  ladder.join(1, BitRate::mbps(4), now_);
  ladder.join(2, BitRate::mbps(2), now_);
  take_log();
  ladder.tick(now_ + 250ms);
  EXPECT_EQ(take_log(), Log{});
}

TEST_F(LadderTest, ACollapsedViewerMovesToASlowerGroup) {
  ladder_.join(1, BitRate::kbps(500), now_);
  ladder_.join(2, BitRate::mbps(4), now_);
  ladder_.join(3, BitRate::mbps(4), now_);
  take_log();
  ladder_.report(3, kCollapse, now_);
  EXPECT_EQ(take_log(), Log{"move 3 to 0 at 10100: move_down"});
  EXPECT_EQ(ladder_.state().moves[abr::Reason::kMoveDown], 1u);
}

TEST_F(LadderTest, ASharedGroupFollowsASmallFallAtOnce) {
  Ladder ladder{{.max = 1}, clock_, *this};
  for (Ladder::ViewerId v : {1, 2, 3}) ladder.join(v, BitRate::mbps(2), now_);
  take_log();
  EXPECT_TRUE(ladder.report(3, {BitRate::mbps(1.95), abr::Reason::kCapacity}, now_));
  EXPECT_EQ(take_log(), Log{"retarget 0 1950"});
  EXPECT_EQ(ladder.state().groups.at(0).reason, abr::Reason::kMembers);
}

TEST_F(LadderTest, ASharedGroupDoesNotFollowADrain) {
  const abr::Decision drain{BitRate::kbps(300), abr::Reason::kBacklog, BitRate::mbps(2)};
  ladder_.join(1, BitRate::mbps(4), now_);
  for (Ladder::ViewerId v : {2, 3}) ladder_.join(v, BitRate::mbps(2), now_);
  take_log();
  EXPECT_FALSE(ladder_.report(3, drain, now_));
  EXPECT_EQ(take_log(), Log{});
}

TEST_F(LadderTest, APrivateGroupFollowsADrain) {
  ladder_.join(1, BitRate::mbps(2), now_);
  take_log();
  EXPECT_TRUE(
      ladder_.report(1, {BitRate::kbps(300), abr::Reason::kBacklog, BitRate::mbps(1.5)}, now_));
  EXPECT_EQ(take_log(), Log{"retarget 0 300"});
  ladder_.tick(now_ + 250ms);
  EXPECT_EQ(take_log(), Log{});
}

TEST_F(LadderTest, NoViewerMovesForADrain) {
  ladder_.join(1, BitRate::mbps(2), now_);
  ladder_.join(2, BitRate::mbps(1), now_);
  ladder_.report(1, {BitRate::kbps(300), abr::Reason::kBacklog, BitRate::mbps(1.9)}, now_);
  for (auto t = now_; t < now_ + 6s; t += 250ms) ladder_.tick(t);
  EXPECT_EQ(ladder_.state().plans, 0u);
}

TEST_F(LadderTest, AViewerThatMustShareIsServedTheSustainedRate) {
  Ladder ladder{{.max = 1}, clock_, *this};
  ladder.join(1, BitRate::mbps(2), now_);
  ladder.report(1, {BitRate::kbps(300), abr::Reason::kBacklog, BitRate::mbps(1.5)}, now_);
  take_log();
  ladder.join(2, BitRate::mbps(2), now_);
  ladder.tick(now_ + 250ms);
  EXPECT_EQ(take_log(), Log{"retarget 0 1500"});
}

TEST_F(LadderTest, ASharedGroupRisesOnlyAtATick) {
  Ladder ladder{{.max = 1}, clock_, *this};
  for (Ladder::ViewerId v : {1, 2}) ladder.join(v, BitRate::mbps(2), now_);
  take_log();
  for (Ladder::ViewerId v : {1, 2}) {
    EXPECT_FALSE(ladder.report(v, {BitRate::mbps(3), abr::Reason::kStep}, now_));
  }
  EXPECT_EQ(take_log(), Log{});
  ladder.tick(now_ + 250ms);
  EXPECT_EQ(take_log(), Log{"retarget 0 3000"});
}

TEST_F(LadderTest, ASharedGroupFollowsTheSecondCollapseAtOnce) {
  Ladder ladder{{.max = 1}, clock_, *this};
  for (Ladder::ViewerId v : {1, 2, 3}) ladder.join(v, BitRate::mbps(2), now_);
  take_log();
  EXPECT_FALSE(ladder.report(1, kCollapse, now_));
  EXPECT_TRUE(ladder.report(2, {BitRate::kbps(700), abr::Reason::kRexmt}, now_ + 40ms));
  EXPECT_EQ(take_log(), Log{"retarget 0 500"});
}

TEST_F(LadderTest, ACollapseInSmallStepsCountsAsACollapse) {
  Ladder ladder{{.max = 1}, clock_, *this};
  for (Ladder::ViewerId v : {1, 2, 3}) ladder.join(v, BitRate::mbps(2), now_);
  auto t = now_;
  for (double mbps = 1.93; mbps > 0.5; mbps *= 0.96, t += 33ms) {
    ladder.report(3, {BitRate::mbps(mbps), abr::Reason::kBacklog}, t);
    if ((t - now_) % (8 * 33ms) == 0ns) ladder.tick(t);
    ASSERT_GE(ladder.state().groups.at(0).rate, 0.95 * BitRate::mbps(2));
  }
}

TEST_F(LadderTest, AGroupServesOneIfItHasOneMember) {
  for (Ladder::ViewerId v : {1, 2, 3}) ladder_.join(v, BitRate::mbps(2), now_);
  EXPECT_FALSE(ladder_.serves_one(0));
  EXPECT_TRUE(ladder_.serves_one(1));
  EXPECT_FALSE(ladder_.serves_one(7));
}

// Frames must not be changed for one viewer while another still receives them.
TEST_F(LadderTest, AGroupServesAMovingViewerUntilTheMoveIsOver) {
  ladder_.join(1, BitRate::kbps(500), now_);
  for (Ladder::ViewerId v : {2, 3}) ladder_.join(v, BitRate::mbps(4), now_);
  ladder_.report(3, kCollapse, now_);
  EXPECT_EQ(ladder_.state().groups.at(1).viewers, 1u);
  EXPECT_FALSE(ladder_.serves_one(1));
  ladder_.tick(now_ + 500ms);
  EXPECT_TRUE(ladder_.serves_one(1));
}

TEST_F(LadderTest, TheLastViewerOfAGroupGetsTheRateOfItsDecision) {
  Ladder ladder{{.max = 1}, clock_, *this};
  for (Ladder::ViewerId v : {1, 2}) ladder.join(v, BitRate::mbps(2), now_);
  const abr::Decision drain{BitRate::kbps(300), abr::Reason::kBacklog, BitRate::mbps(1.95)};
  ladder.report(1, drain, now_);
  take_log();
  ladder.leave(2, now_);
  ladder.tick(now_ + 250ms);
  EXPECT_EQ(take_log(), Log{"retarget 0 300"});
}

TEST_F(LadderTest, ARecoveredViewerMovesUpAtATickAfterTheDwell) {
  ladder_.join(1, BitRate::kbps(500), now_);
  ladder_.join(2, BitRate::mbps(4), now_);
  ladder_.join(3, BitRate::kbps(500), now_);
  ladder_.report(3, {BitRate::mbps(4), abr::Reason::kRestore}, now_ + 1s);
  take_log();
  ladder_.tick(now_ + 2s);
  EXPECT_EQ(ladder_.state().moves[abr::Reason::kMoveUp], 0u);
  ladder_.tick(now_ + 3s);
  EXPECT_EQ(ladder_.state().moves[abr::Reason::kMoveUp], 1u);
}

TEST_F(LadderTest, NoViewerJoinsOrMovesAfterTheStreamHasEnded) {
  ladder_.join(1, BitRate::kbps(500), now_);
  for (Ladder::ViewerId v : {2, 3}) ladder_.join(v, BitRate::mbps(4), now_);
  take_log();
  ladder_.close();
  EXPECT_THROW(ladder_.join(4, BitRate::mbps(2), now_), std::runtime_error);
  EXPECT_FALSE(ladder_.report(3, kCollapse, now_));
  ladder_.shed(now_);
  ladder_.tick(now_ + 10s);
  EXPECT_EQ(take_log(), Log{});
}

TEST_F(LadderTest, AnEmptyGroupLingersThenCloses) {
  ladder_.join(1, BitRate::mbps(2), now_);
  ladder_.leave(1, now_);
  take_log();
  ladder_.tick(now_ + 4s);
  EXPECT_EQ(take_log(), Log{});
  ladder_.tick(now_ + 5s);
  EXPECT_EQ(take_log(), Log{"close 0"});
  EXPECT_TRUE(ladder_.state().groups.empty());
}

TEST_F(LadderTest, ANewViewerTakesALingeringGroup) {
  ladder_.join(1, BitRate::mbps(2), now_);
  ladder_.leave(1, now_);
  take_log();
  EXPECT_EQ(ladder_.join(2, BitRate::mbps(4), now_), 0u);
  EXPECT_EQ(take_log(), Log{"retarget 0 4000"});
}

TEST_F(LadderTest, ANewViewerHasNotCollapsedFromTheRateOfAnEarlierViewer) {
  Ladder ladder{{.max = 1, .linger = 5s}, clock_, *this};
  ladder.join(1, BitRate::mbps(5), now_);
  ladder.tick(now_ + 1s);
  ladder.leave(1, now_ + 1500ms);
  ladder.join(2, BitRate::mbps(2), now_ + 1600ms);
  ladder.report(2, {BitRate::mbps(1.95), abr::Reason::kCapacity}, now_ + 1700ms);
  for (auto t = now_ + 2s; t <= now_ + 4s; t += 250ms) ladder.tick(t);
  ladder.join(3, BitRate::mbps(4), now_ + 4100ms);
  take_log();
  EXPECT_TRUE(ladder.report(2, {BitRate::mbps(1.88), abr::Reason::kCapacity}, now_ + 4200ms));
  EXPECT_EQ(take_log(), Log{"retarget 0 1880"});
}

TEST_F(LadderTest, TheRateRisesWhenTheSlowestViewersLeave) {
  ladder_.join(1, BitRate::mbps(4), now_);
  for (Ladder::ViewerId v : {2, 3}) ladder_.join(v, BitRate::mbps(1), now_);
  for (Ladder::ViewerId v : {4, 5}) ladder_.join(v, BitRate::mbps(2), now_);
  for (Ladder::ViewerId v : {2, 3}) ladder_.leave(v, now_);
  take_log();
  ladder_.tick(now_ + 250ms);
  EXPECT_EQ(take_log(), Log{"retarget 1 2000"});
}

TEST_F(LadderTest, AGroupKeepsItsRateUntilMovingViewersHaveLeft) {
  for (Ladder::ViewerId v = 1; v <= 10; ++v) ladder_.join(v, BitRate::mbps(2), now_);
  ladder_.report(10, kCollapse, now_);
  ladder_.tick(now_);  // the others leave the group to this viewer
  take_log();
  ladder_.tick(now_ + 250ms);
  EXPECT_EQ(take_log(), Log{});
  ladder_.tick(now_ + 500ms);
  EXPECT_EQ(take_log(), Log{"retarget 1 500"});
}

TEST_F(LadderTest, ASharedGroupFollowsALoneCollapseThatLasts) {
  Ladder ladder{{.max = 1}, clock_, *this};
  for (Ladder::ViewerId v : {1, 2, 3}) ladder.join(v, BitRate::mbps(2), now_);
  take_log();
  base::Time t = now_;
  for (; t < now_ + 30s; t += 250ms) {
    ladder.report(3, kCollapse, t);
    ladder.tick(t);
  }
  EXPECT_EQ(take_log(), Log{});
  ladder.tick(t);
  EXPECT_EQ(take_log(), Log{"retarget 0 500"});
}

// Viewer 1 has a private group and a wavering path, which must not affect the others.
TEST_F(LadderTest, AWaveringPrivateViewerDoesNotPreventAPlan) {
  Ladder ladder{{.max = 3}, clock_, *this};
  for (Ladder::ViewerId v = 1; v <= 39; ++v) {
    ladder.join(v, BitRate::mbps(v == 1 ? 6 : v <= 3 ? 4 : 1), now_);
  }
  base::Time t = now_;
  const auto waver = [&](base::Duration time) {
    for (const auto end = t + time; t < end; t += 250ms) {
      const auto sustains = BitRate::mbps((t - now_) / 1s % 2 ? 6 : 5.5);
      ladder.report(1, {BitRate::mbps(6), abr::Reason::kCapacity, sustains}, t);
      ladder.tick(t);
    }
  };
  waver(60s);
  const auto before = ladder.state().plans;
  // Two viewers lose rate so that eighteen gain.
  for (Ladder::ViewerId v = 4; v <= 21; ++v) {
    ladder.report(v, {BitRate::mbps(2), abr::Reason::kStep}, t);
  }
  waver(10s);
  EXPECT_GT(ladder.state().plans, before);
}

TEST_F(LadderTest, AGroupIsNotClosedWhileItStillServesAViewer) {
  Ladder ladder{{.max = 2, .linger = 0s}, clock_, *this};
  ladder.join(1, BitRate::mbps(1), now_);
  ladder.join(2, BitRate::mbps(4), now_);
  ladder.limit(1);
  ladder.shed(now_);
  ladder.tick(now_ + 250ms);
  EXPECT_EQ(ladder.state().groups.size(), 2u);
  take_log();
  ladder.tick(now_ + 500ms);
  EXPECT_EQ(take_log(), Log{"close 1"});
}

TEST_F(LadderTest, APlanSeparatesTwoCrowds) {
  for (Ladder::ViewerId v = 1; v <= 40; ++v) ladder_.join(v, BitRate::mbps(2), now_);
  for (Ladder::ViewerId v = 1; v <= 40; ++v) {
    ladder_.report(v, {BitRate::mbps(v % 2 ? 1 : 4), abr::Reason::kCapacity}, now_ + 1s);
  }
  for (base::Time t = now_ + 1s; t < now_ + 6s; t += 250ms) ladder_.tick(t);
  const auto groups = ladder_.state().groups;
  EXPECT_EQ(groups.at(0).viewers, 20u);
  EXPECT_EQ(groups.at(1).viewers, 20u);
  EXPECT_EQ(std::min(groups.at(0).rate, groups.at(1).rate), BitRate::mbps(1));
  EXPECT_EQ(std::max(groups.at(0).rate, groups.at(1).rate), BitRate::mbps(4));
}

TEST_F(LadderTest, NothingHappensWhileNothingChanges) {
  for (Ladder::ViewerId v = 1; v <= 40; ++v) ladder_.join(v, BitRate::kbps(1000 + 50 * v), now_);
  for (base::Time t = now_; t < now_ + 6s; t += 250ms) ladder_.tick(t);
  take_log();
  for (base::Time t = now_ + 6s; t < now_ + 60s; t += 250ms) ladder_.tick(t);
  EXPECT_EQ(take_log(), Log{});
}

TEST_F(LadderTest, WithoutAMaximumTheMeasuredCpusAreTheLimit) {
  Ladder ladder{{.max = 0}, clock_, *this};
  ladder.limit(100);
  for (Ladder::ViewerId v = 1; v <= 18; ++v) ladder.join(v, BitRate::mbps(2), now_);
  EXPECT_EQ(ladder.state().groups.size(), 16u);
  ladder.limit(1);
  EXPECT_FALSE(ladder.tick(now_).refused) << "nobody asked for more";
}

TEST_F(LadderTest, InACrowdOneGroupServesAllWhoSustainItsRate) {
  Ladder ladder{{.max = 16, .linger = 5s}, clock_, *this};
  for (Ladder::ViewerId v = 1; v <= 40; ++v) ladder.join(v, BitRate::mbps(2), now_);
  take_log();
  for (base::Time t = now_; t < now_ + 20s; t += 250ms) ladder.tick(t);
  const auto state = ladder.state();
  EXPECT_EQ(state.groups.size(), 1u);
  EXPECT_EQ(state.moves.at(abr::Reason::kMerged), 15u) << "the fullest group stays";
  take_log();
  ladder.join(41, BitRate::mbps(2), now_ + 20s);
  ladder.join(42, BitRate::mbps(1), now_ + 20s);
  EXPECT_EQ(take_log().size(), 1u) << "a group for the one who sustains less";
}

TEST_F(LadderTest, InACrowdAViewerSharesAGroupThatIsLittleSlowerThanTheirOwn) {
  Ladder ladder{{.max = 16}, clock_, *this};
  for (Ladder::ViewerId v = 1; v <= 30; ++v) ladder.join(v, BitRate::mbps(2), now_);
  for (base::Time t = now_; t < now_ + 20s; t += 250ms) ladder.tick(t);
  const auto sustain = [&](Ladder::ViewerId viewer, double rate) {
    ladder.report(viewer, {BitRate::mbps(rate), abr::Reason::kCapacity}, now_ + 20s);
    return *ladder.group_of(viewer);
  };
  const auto all = *ladder.group_of(30);
  const auto slower = sustain(1, 1.6);
  EXPECT_NE(slower, all);
  EXPECT_EQ(sustain(2, 1.7), slower);
  EXPECT_NE(sustain(3, 1.2), slower) << "they cannot take it";
  EXPECT_EQ(ladder.state().groups.size(), 3u);
}

TEST_F(LadderTest, AFewViewersKeepTheirOwnGroupsEvenIfTheirRatesAreEqual) {
  Ladder ladder{{.max = 16}, clock_, *this};
  for (Ladder::ViewerId v = 1; v <= 12; ++v) ladder.join(v, BitRate::mbps(2), now_);
  for (base::Time t = now_; t < now_ + 20s; t += 250ms) ladder.tick(t);
  EXPECT_EQ(ladder.state().groups.size(), 12u);
}

TEST_F(LadderTest, RefusesGroupsThatTheCpusCannotEncodeAndReportsItOnce) {
  ladder_.limit(1);
  for (Ladder::ViewerId v : {1, 2}) ladder_.join(v, BitRate::mbps(2), now_);
  EXPECT_EQ(ladder_.tick(now_).refused, 1u);
  for (base::Time t = now_ + 250ms; t < now_ + 2s; t += 250ms) {
    EXPECT_FALSE(ladder_.tick(t).refused);
  }
  EXPECT_EQ(take_log(), Log{"open 0 2000"});
  EXPECT_EQ(ladder_.state().groups.size(), 1u);
  EXPECT_EQ(ladder_.state().refused, 1u);
  EXPECT_EQ(ladder_.state().max_groups, 1u);
}

TEST_F(LadderTest, ShedsTheLeastValuableGroupIntoTheNextSlower) {
  ladder_.join(1, BitRate::mbps(2), now_);
  ladder_.join(2, BitRate::mbps(4), now_);
  ladder_.join(3, BitRate::mbps(2), now_);
  take_log();
  ladder_.limit(1);
  EXPECT_EQ(ladder_.shed(now_), 1u);
  EXPECT_EQ(take_log(), Log{"move 2 to 0 at 10100: shed"});
  EXPECT_EQ(ladder_.state().shed, 1u);
  ladder_.tick(now_ + 500ms);
  EXPECT_EQ(ladder_.state().groups.size(), 1u);
}

TEST_F(LadderTest, TheLastGroupIsNotShed) {
  ladder_.join(1, BitRate::mbps(2), now_);
  EXPECT_FALSE(ladder_.shed(now_));
  EXPECT_EQ(ladder_.state().shed, 0u);
}

TEST_F(LadderTest, ANewViewerSharesIfNoGroupCanBeOpened) {
  ladder_.join(1, BitRate::mbps(2), now_);
  broken_ = true;
  take_log();
  EXPECT_EQ(ladder_.join(2, BitRate::mbps(4), now_), 0u);
  EXPECT_EQ(take_log(), Log{});
  EXPECT_NE(ladder_.tick(now_).open_error, "");
  EXPECT_EQ(ladder_.tick(now_).open_error, "") << "reported once";
  EXPECT_EQ(ladder_.state().groups.size(), 1u);
  EXPECT_EQ(ladder_.state().opens_failed, 1u);
}

TEST_F(LadderTest, JoinThrowsIfTheFirstGroupCannotBeOpened) {
  broken_ = true;
  EXPECT_THROW(ladder_.join(1, BitRate::mbps(2), now_), std::system_error);
  EXPECT_TRUE(ladder_.state().groups.empty());
  broken_ = false;
  EXPECT_EQ(ladder_.join(2, BitRate::mbps(2), now_), 0u);
}

TEST_F(LadderTest, DoesNotTryToOpenAnotherGroupForASecondAfterAFailure) {
  ladder_.join(1, BitRate::mbps(4), now_);
  broken_ = true;
  ladder_.join(2, BitRate::mbps(4), now_);
  ladder_.report(2, kCollapse, now_ + 100ms);
  for (auto t = now_ + 250ms; t < now_ + 1s; t += 250ms) ladder_.tick(t);
  EXPECT_EQ(ladder_.state().opens_failed, 1u);
  broken_ = false;
  ladder_.tick(now_ + 1s);
  EXPECT_EQ(ladder_.state().groups.size(), 2u);
}

TEST_F(LadderTest, AViewerStaysIfNoGroupCanBeOpened) {
  ladder_.join(1, BitRate::mbps(4), now_);
  broken_ = true;
  ladder_.join(2, BitRate::mbps(4), now_);  // shares with 1
  ladder_.report(2, kCollapse, now_);
  ladder_.tick(now_ + 250ms);
  EXPECT_EQ(ladder_.state().groups.at(0).viewers, 2u);
  EXPECT_EQ(ladder_.state().moves[abr::Reason::kMoveDown], 0u);
}

// Viewers of random rates settle; then one collapses, in one step or in many. Until a moving viewer
// has arrived in the new group, the old group's rate counts for that viewer.
TEST_F(LadderTest, ACollapseNeverLowersTheRateOfOtherViewers) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    std::lognormal_distribution<> capacity{std::log(2e6), 0.7};
    const int groups = 1 + static_cast<int>(random() % 4);
    const Ladder::ViewerId viewers = 2 + random() % 30;
    std::map<Ladder::ViewerId, Ladder::GroupIndex> group_of;
    base::Time t = now_;
    moving_.clear();
    time_ = &t;
    Ladder ladder{{.max = groups}, clock_, *this};
    for (Ladder::ViewerId v = 1; v <= viewers; ++v) {
      group_of[v] = ladder.join(v, BitRate{static_cast<std::int64_t>(capacity(random))}, now_);
    }
    for (; t < now_ + 60s; t += 250ms) ladder.tick(t);
    for (const auto& [v, g] : std::exchange(moving_, {})) group_of[v] = g;
    const auto settled = group_of;
    const auto before = ladder.state().groups;
    // Viewers with a private group have a wavering path.
    std::map<Ladder::ViewerId, BitRate> wavering;
    for (const auto& [v, g] : group_of) {
      if (v != 1 && before.at(g).viewers == 1) wavering[v] = before.at(g).rate;
    }
    const double last = 150e3;
    double falling = static_cast<double>(before.at(group_of.at(1)).rate.bps());
    const double step = std::uniform_real_distribution<>{0.05, 0.99}(random);
    for (int tick = 0; tick < 80; ++tick, t += 250ms) {
      const auto arriving = std::exchange(moving_, {});
      for (int frame = 0; frame < 7 && falling > last; ++frame) {
        falling = std::max(last, falling * step);
        ladder.report(1, {BitRate{static_cast<std::int64_t>(falling)}, abr::Reason::kRexmt},
                      t + frame * 33ms);
      }
      for (const auto& [v, rate] : wavering) {
        ladder.report(v, {(tick % 2 ? 0.6 : 1) * rate, abr::Reason::kCapacity}, t);
      }
      ladder.tick(t);
      const auto now = ladder.state().groups;
      for (const auto& [v, g] : group_of) {
        if (v == 1 || wavering.contains(v)) continue;
        ASSERT_GE(now.at(g).rate, 0.95 * before.at(settled.at(v)).rate) << "viewer " << v;
      }
      for (const auto& [v, g] : arriving) group_of[v] = g;
    }
  }
}

TEST_F(LadderTest, AReportOfAViewerThatHasLeftIsIgnored) {
  ladder_.report(7, kCollapse, now_);
  EXPECT_EQ(take_log(), Log{});
}

/// One encoder, and three viewers who take 5 Mbit/s.
class LadderWithClaimsTest : public LadderTest {
 protected:
  static constexpr auto kProven = abr::Standing::kProven;
  static constexpr auto kModest = abr::Standing::kModest;
  static constexpr auto kUnproven = abr::Standing::kUnproven;

  LadderWithClaimsTest() {
    for (Ladder::ViewerId v : {1, 2, 3}) {
      one_.join(v, BitRate::mbps(5), now_);
      one_.set_standing(v, kProven, now_);
    }
  }
  void pass(base::Duration time) {
    for (const auto end = now_ + time; now_ < end; now_ += 250ms) one_.tick(now_);
  }
  BitRate rate() { return one_.rate_of(0); }

  Ladder one_{{.max = 1}, clock_, *this};
};

TEST_F(LadderWithClaimsTest, ThoseWhoTakeNothingDoNotLowerTheRate) {
  for (Ladder::ViewerId v = 10; v < 20; ++v) {
    one_.join(v, BitRate::mbps(2), now_);
    one_.report(v, {BitRate::kbps(300), abr::Reason::kRequested}, now_);
  }
  pass(40s);
  EXPECT_EQ(rate(), BitRate::mbps(5));
  EXPECT_EQ(one_.state().viewers, (std::array<std::size_t, 3>{10, 0, 3}));
}

TEST_F(LadderWithClaimsTest, ThoseWhoAskForLittleDoNotLowerTheRate) {
  for (Ladder::ViewerId v = 10; v < 20; ++v) {
    one_.join(v, BitRate::kbps(300), now_);
    one_.set_standing(v, kModest, now_);
  }
  pass(40s);
  EXPECT_EQ(rate(), BitRate::mbps(5));
  for (Ladder::ViewerId v : {1, 2, 3}) one_.leave(v, now_);
  pass(1s);
  EXPECT_EQ(rate(), BitRate::kbps(300)) << "nobody else is left";
}

TEST_F(LadderWithClaimsTest, SlowViewersWhoTakeMediaCount) {
  for (Ladder::ViewerId v = 10; v < 20; ++v) {
    one_.join(v, BitRate::mbps(2), now_);
    one_.report(v, {BitRate::kbps(400), abr::Reason::kCapacity}, now_);
    one_.set_standing(v, kProven, now_);
  }
  pass(1s);
  EXPECT_EQ(rate(), BitRate::kbps(400));
}

TEST_F(LadderWithClaimsTest, AViewerWhoStopsNoLongerCounts) {
  one_.report(3, {BitRate::mbps(1), abr::Reason::kRexmt}, now_);
  one_.report(2, {BitRate::mbps(1), abr::Reason::kRexmt}, now_);
  pass(1s);
  ASSERT_EQ(rate(), BitRate::mbps(1));
  for (Ladder::ViewerId v : {2, 3}) one_.set_standing(v, kUnproven, now_);
  pass(1s);
  EXPECT_EQ(rate(), BitRate::mbps(5)) << "the first viewer is the only one who counts";
}

TEST_F(LadderWithClaimsTest, TheOnlyOneWhoCountsIsFollowedAtOnce) {
  for (Ladder::ViewerId v : {2, 3}) one_.set_standing(v, kUnproven, now_);
  EXPECT_TRUE(one_.report(1, {BitRate::mbps(3), abr::Reason::kCapacity}, now_));
  EXPECT_EQ(rate(), BitRate::mbps(3));
  EXPECT_FALSE(one_.serves_one(0));
}

TEST_F(LadderWithClaimsTest, NoEncoderIsOpenedForThoseWhoTakeNothing) {
  for (Ladder::ViewerId v : {1, 2}) {
    ladder_.join(v, BitRate::mbps(5), now_);
    ladder_.set_standing(v, kProven, now_);
  }
  ladder_.leave(2, now_);
  ladder_.tick(now_ + 6s);
  ASSERT_EQ(ladder_.state().groups.size(), 1u);
  ladder_.limit(1);
  ladder_.join(3, BitRate::mbps(5), now_ + 6s);
  ladder_.limit(2);
  ladder_.report(3, {BitRate::mbps(1), abr::Reason::kRequested}, now_ + 6s);
  EXPECT_EQ(ladder_.group_of(3), 0u);
  ladder_.set_standing(3, kModest, now_ + 7s);
  EXPECT_EQ(ladder_.group_of(3), 1u)
      << "a rate that is asked for and taken has an encoder while there is room";
}

TEST_F(LadderWithClaimsTest, TheGroupOfThoseWhoTakeNothingIsShedFirst) {
  ladder_.join(1, BitRate::mbps(1), now_);
  ladder_.set_standing(1, kProven, now_);
  for (Ladder::ViewerId v = 2; v < 12; ++v) ladder_.join(v, BitRate::mbps(3), now_);
  ASSERT_EQ(ladder_.state().groups.size(), 2u);
  EXPECT_EQ(ladder_.shed(now_), ladder_.group_of(1) == 0u ? 1u : 0u);
}

}  // namespace
}  // namespace app
