#include "abr/control/congestion_choice.h"

#include <gtest/gtest.h>

#include <chrono>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

class CongestionChoiceTest : public testing::Test {
 protected:
  /// Observations for that long, at 2 Mbit/s. Returns when a change was asked for, since the
  /// first one; it is carried out.
  std::optional<base::Duration> run(base::Duration time) {
    std::optional<base::Duration> changed;
    for (const auto end = now_ + time; now_ < end; now_ += 33ms) {
      seen_.delivered += BitRate::mbps(2) * 33ms;
      seen_.retransmits += lost_each_;
      const auto control = choice_.update(seen_, path_, now_);
      if (!control) continue;
      EXPECT_NE(seen_.bbr, *control == CongestionControl::kBbr) << "no change";
      seen_.bbr = *control == CongestionControl::kBbr;
      if (!changed) changed = now_ - kBegin;
    }
    return changed;
  }

  /// TCP sends more slowly than packet trains have passed.
  void hide_path() {
    path_.highest = BitRate::mbps(5);
    seen_.pacing = BitRate::mbps(3);
  }

  static constexpr base::Time kBegin{1h};
  base::Time now_ = kBegin;
  unsigned lost_each_ = 0;  ///< segments, between two observations
  Observation seen_{.srtt = 11ms, .min_rtt = 6ms, .mss = 1448, .bbr = true};
  PathState path_{.highest = BitRate::mbps(5), .round_trip = 6ms};
  CongestionChoice choice_;
};

TEST_F(CongestionChoiceTest, KeepsBbrThatPacesFastEnough) {
  seen_.pacing = BitRate::mbps(6);
  EXPECT_FALSE(run(60s));
}

TEST_F(CongestionChoiceTest, LeavesBbrWhosePacingHidesThePath) {
  hide_path();
  const auto at = run(60s);
  ASSERT_TRUE(at);
  EXPECT_GE(*at, 3s) << "slow start shows little";
  EXPECT_LE(*at, 6s);
  EXPECT_FALSE(seen_.bbr);
}

TEST_F(CongestionChoiceTest, OnALongPathBbrRemembersLongEnough) {
  hide_path();
  path_.round_trip = 14ms;
  EXPECT_FALSE(run(60s));
}

TEST_F(CongestionChoiceTest, APathWithoutPacingIsNotHidden) {
  hide_path();
  seen_.pacing = {};
  EXPECT_FALSE(run(60s));
}

TEST_F(CongestionChoiceTest, TrainsThatAgreeShowThePath) {
  hide_path();
  path_.trains_agree = true;
  EXPECT_FALSE(run(60s));
}

TEST_F(CongestionChoiceTest, KeepsBbrBesideOthers) {
  hide_path();
  path_.cross_traffic = true;
  EXPECT_FALSE(run(60s));
}

TEST_F(CongestionChoiceTest, KeepsBbrThatLosesSegments) {
  hide_path();
  lost_each_ = 1;
  EXPECT_FALSE(run(60s));
}

TEST_F(CongestionChoiceTest, LeavesCubicThatLosesSegmentsWithoutAQueue) {
  seen_.bbr = false;
  lost_each_ = 1;
  EXPECT_TRUE(run(10s));
  EXPECT_TRUE(seen_.bbr);
}

TEST_F(CongestionChoiceTest, ReturnsToBbrWhenOthersCome) {
  hide_path();
  ASSERT_TRUE(run(6s));
  ASSERT_FALSE(seen_.bbr);
  path_.cross_traffic = true;
  EXPECT_TRUE(run(10s));
  EXPECT_TRUE(seen_.bbr);
  EXPECT_FALSE(run(60s));
}

TEST_F(CongestionChoiceTest, KeepsCubicThatItHasNotChosenBesideOthers) {
  seen_.bbr = false;
  path_.cross_traffic = true;
  EXPECT_FALSE(run(60s));
}

TEST_F(CongestionChoiceTest, KeepsCubicWhoseLossesComeFromAQueue) {
  seen_.bbr = false;
  lost_each_ = 1;
  seen_.srtt = 200ms;
  EXPECT_FALSE(run(60s));
}

TEST_F(CongestionChoiceTest, ChangesAreSeldomAndBecomeMoreSeldom) {
  hide_path();
  int changes = 0;
  for (int second = 0; second < 600; ++second) {
    lost_each_ = seen_.bbr ? 0 : 1;  // neither is any good
    changes += run(1s).has_value();
  }
  EXPECT_GE(changes, 4);
  EXPECT_LE(changes, 7);
}

TEST_F(CongestionChoiceTest, AsksAgainAfterARefusal) {
  hide_path();
  int asked = 0;
  for (int frame = 0; frame < 3000; ++frame) {
    asked += choice_.update(seen_, path_, now_ += 33ms).has_value();
  }
  EXPECT_GE(asked, 2);
  EXPECT_LE(asked, 4);
}

}  // namespace
}  // namespace abr
