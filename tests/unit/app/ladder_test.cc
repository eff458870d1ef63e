#include "app/ladder.h"

#include <gtest/gtest.h>

#include <string>
#include <system_error>

namespace app {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

/// A ladder whose actions are only written down.
class LadderTest : public testing::Test {
 protected:
  Ladder::Actions recorded() {
    return {
        .open =
            [this](auto g, auto rate) {
              if (broken_) throw std::system_error{EAGAIN, std::generic_category()};
              note("open", g, rate);
            },
        .open_failed = [this](const std::exception&) { log_.push_back("open failed"); },
        .close = [this](auto g) { log_.push_back("close " + std::to_string(g)); },
        .retarget = [this](auto g, auto rate) { note("retarget", g, rate); },
        .schedule_keyframe = [](auto, auto earliest) -> media::Pts { return 10s + earliest; },
        .move =
            [this](auto viewer, auto g, media::Pts at, abr::Reason reason) {
              log_.push_back("move " + std::to_string(viewer) + " to " + std::to_string(g) +
                             " at " + std::to_string(at / 1ms) + ": " + abr::name(reason));
            },
    };
  }

  void note(const std::string& action, Ladder::GroupIndex group, BitRate rate) {
    log_.push_back(action + " " + std::to_string(group) + " " + std::to_string(rate.bps() / 1000));
  }

  std::vector<std::string> take_log() { return std::exchange(log_, {}); }

  using Log = std::vector<std::string>;
  Log log_;
  bool broken_ = false;  ///< no encoder can be had
  base::Time now_{1h};
  Ladder ladder_{{.max = 2, .linger = 5s}, recorded()};
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

TEST_F(LadderTest, OneOfManyLeavesTheSharedRateAlone) {
  for (Ladder::ViewerId v = 1; v <= 10; ++v) ladder_.join(v, BitRate::mbps(2), now_);
  take_log();
  ladder_.report(10, kCollapse, now_);
  ladder_.tick(now_ + 250ms);
  EXPECT_EQ(take_log(), Log{});
}

TEST_F(LadderTest, ACollapsedViewerMovesToASlowerGroup) {
  ladder_.join(1, BitRate::kbps(500), now_);
  ladder_.join(2, BitRate::mbps(4), now_);
  ladder_.join(3, BitRate::mbps(4), now_);
  take_log();
  ladder_.report(3, kCollapse, now_);
  EXPECT_EQ(take_log(), Log{"move 3 to 0 at 10100: move_down"});
  EXPECT_EQ(ladder_.state().moves_down, 1u);
}

TEST_F(LadderTest, ARecoveredViewerMovesUpAtATickAfterTheDwell) {
  ladder_.join(1, BitRate::kbps(500), now_);
  ladder_.join(2, BitRate::mbps(4), now_);
  ladder_.join(3, BitRate::kbps(500), now_);
  ladder_.report(3, {BitRate::mbps(4), abr::Reason::kRestore}, now_ + 1s);
  take_log();
  ladder_.tick(now_ + 2s);
  EXPECT_EQ(ladder_.state().moves_up, 0u);
  ladder_.tick(now_ + 3s);
  EXPECT_EQ(ladder_.state().moves_up, 1u);
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

TEST_F(LadderTest, ANewcomerTakesAGroupThatLingers) {
  ladder_.join(1, BitRate::mbps(2), now_);
  ladder_.leave(1, now_);
  take_log();
  EXPECT_EQ(ladder_.join(2, BitRate::mbps(4), now_), 0u);
  EXPECT_EQ(take_log(), Log{"retarget 0 4000"});
}

TEST_F(LadderTest, TheRateRisesWhenTheWorstOfAGroupLeaves) {
  ladder_.join(1, BitRate::mbps(4), now_);
  ladder_.join(2, BitRate::mbps(1), now_);
  ladder_.join(3, BitRate::mbps(2), now_);  // shares with 2
  ladder_.leave(2, now_);
  take_log();
  ladder_.tick(now_ + 250ms);
  EXPECT_EQ(take_log(), Log{"retarget 1 2000"});
}

TEST_F(LadderTest, ANewcomerSharesWhereNoGroupCanBeOpened) {
  ladder_.join(1, BitRate::mbps(2), now_);
  broken_ = true;
  take_log();
  EXPECT_EQ(ladder_.join(2, BitRate::mbps(4), now_), 0u);
  EXPECT_EQ(take_log(), Log{"open failed"});
  EXPECT_EQ(ladder_.state().groups.size(), 1u);
  EXPECT_EQ(ladder_.state().opens_failed, 1u);
}

TEST_F(LadderTest, TheFirstViewerIsToldThatNoGroupCanBeOpened) {
  broken_ = true;
  EXPECT_THROW(ladder_.join(1, BitRate::mbps(2), now_), std::system_error);
  EXPECT_TRUE(ladder_.state().groups.empty());
  broken_ = false;
  EXPECT_EQ(ladder_.join(2, BitRate::mbps(2), now_), 0u);
}

TEST_F(LadderTest, AViewerStaysWhereNoGroupCanBeOpened) {
  ladder_.join(1, BitRate::mbps(4), now_);
  broken_ = true;
  ladder_.join(2, BitRate::mbps(4), now_);  // shares with 1
  ladder_.report(2, kCollapse, now_);
  ladder_.tick(now_ + 250ms);
  EXPECT_EQ(ladder_.state().groups.at(0).viewers, 2u);
  EXPECT_EQ(ladder_.state().moves_down, 0u);
}

TEST_F(LadderTest, AReportOfAViewerWhoLeftIsIgnored) {
  ladder_.report(7, kCollapse, now_);
  EXPECT_EQ(take_log(), Log{});
}

}  // namespace
}  // namespace app
