#include "abr/policy/arrival_check.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

class ArrivalCheckTest : public testing::Test {
 protected:
  ArrivalCheckTest() { passes(BitRate::mbps(1), BitRate::mbps(1)); }

  /// A round trip later, in which data arrived at that rate.
  bool passes(BitRate delivered, BitRate rate, base::Duration after = 100ms) {
    seen_.delivered += delivered * after;
    return check_.passes(seen_, rate, now_ += after);
  }

  ArrivalCheck check_;
  Observation seen_{.srtt = 80ms, .frame_interval = 20ms};
  base::Time now_{1h};
};

TEST_F(ArrivalCheckTest, PassesWhenTheRateBeforeTheStepArrives) {
  EXPECT_TRUE(passes(BitRate::mbps(1), BitRate::mbps(1.5)));
  EXPECT_TRUE(passes(BitRate::mbps(1.5), BitRate::mbps(2.2)));
  EXPECT_TRUE(passes(BitRate::mbps(1.7), BitRate::mbps(2.2))) << "frames vary";
}

TEST_F(ArrivalCheckTest, FailsWhenMuchLessArrives) {
  EXPECT_TRUE(passes(BitRate::mbps(1), BitRate::mbps(1.5)));
  EXPECT_FALSE(passes(BitRate::mbps(1), BitRate::mbps(2.2)));
}

TEST_F(ArrivalCheckTest, ALowerRateNeedNotArriveAtTheOneBefore) {
  EXPECT_TRUE(passes(BitRate::mbps(1), BitRate::mbps(0.5)));
  EXPECT_TRUE(passes(BitRate::mbps(0.5), BitRate::mbps(0.5)));
}

TEST_F(ArrivalCheckTest, AStepOfLongAgoShowsNothing) {
  EXPECT_TRUE(passes({}, BitRate::mbps(1), 300ms));
}

/// Sends 5 Mbit/s.
class ShortfallTest : public testing::Test {
 protected:
  /// The rate that is found to arrive within `time`, when `arrives` does. 0: all of it.
  BitRate find(BitRate arrives, base::Duration time = 2s) {
    BitRate found;
    for (const auto end = now_ + time; now_ < end && found.bps() == 0; now_ += 20ms) {
      seen_.delivered += arrives * 20ms;
      seen_.in_flight += (BitRate::mbps(5) - arrives) * 20ms;
      found = check_.shortfall(seen_, path_, now_).value_or(BitRate{});
    }
    return found;
  }

  ArrivalCheck check_;
  Observation seen_{.srtt = 80ms, .frame_interval = 20ms};
  PathState path_{};
  base::Time now_{1h};
};

TEST_F(ShortfallTest, FindsTheRateThatArrivesWithinThreeRoundTrips) {
  const auto begin = now_;
  EXPECT_NEAR(find(BitRate::mbps(2)) / BitRate::mbps(2), 1, 0.01);
  EXPECT_LE(now_ - begin, 3 * 100ms + 20ms);
}

TEST_F(ShortfallTest, IsNoneIfMostArrives) { EXPECT_EQ(find(BitRate::mbps(4)), BitRate{}); }

TEST_F(ShortfallTest, IsNoneInAQueueThatOthersAreSeenToFill) {
  path_.others_seen = true;
  EXPECT_EQ(find(BitRate::mbps(2)), BitRate{});
}

TEST_F(ShortfallTest, IsNotTheDoingOfAPlayerThatReadsSlowly) {
  seen_.receiver_limited = true;
  EXPECT_EQ(find(BitRate::mbps(2)), BitRate{});
}

TEST_F(ShortfallTest, IsMeasuredWithoutRetransmissions) {
  for (int i = 0; i < 10; ++i) {
    ++seen_.retransmits;
    EXPECT_EQ(find(BitRate::mbps(2), 200ms), BitRate{}) << i;
  }
  EXPECT_GT(find(BitRate::mbps(2)), BitRate{});
}

}  // namespace
}  // namespace abr
