#include "abr/path/cross_traffic.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;

class CrossTrafficTest : public testing::Test {
 protected:
  /// Frames for so long whose heads waited `all` seconds, `own` of them behind our own, and which
  /// leave `spare` seconds.
  void frames(base::Duration time, double all, double own, double spare = 0) {
    for (const auto end = now_ + time; now_ < end; now_ += 33ms) {
      queue_.add({.acked = now_, .all = all, .own = own, .self_induced = own, .spare = spare});
    }
  }

  CrossTraffic queue_;
  base::Time now_{1h};
};

TEST_F(CrossTrafficTest, NobodyIsThereAtFirst) { EXPECT_FALSE(queue_.present()); }

TEST_F(CrossTrafficTest, AQueueThatIsNotOursIsSharedAfterAWhile) {
  frames(200ms, 0.1, 0);
  EXPECT_FALSE(queue_.present());
  frames(200ms, 0.1, 0);
  EXPECT_TRUE(queue_.present());
}

TEST_F(CrossTrafficTest, AQueueOfOurOwnIsNot) {
  frames(2s, 0.1, 0.09);
  EXPECT_FALSE(queue_.present());
}

// Trains that others draw out make the capacity look low, and what waits look ours.
TEST_F(CrossTrafficTest, AQueueThatStaysThoughThePathHadTimeForItIsShared) {
  frames(500ms, 0.05, 0.04, 0.005);
  EXPECT_FALSE(queue_.present());
  frames(500ms, 0.05, 0.04, 0.005);
  EXPECT_TRUE(queue_.present());
}

TEST_F(CrossTrafficTest, NoiseIsNot) {
  frames(2s, 0.02, 0);
  EXPECT_FALSE(queue_.present());
}

TEST_F(CrossTrafficTest, TheyAreGoneWhenNothingWaits) {
  frames(500ms, 0.1, 0);
  frames(1s, 0.001, 0);
  EXPECT_FALSE(queue_.present());
}

// BBR's PROBE_RTT: 200 ms, and what its queue takes to fill again.
TEST_F(CrossTrafficTest, TheyAreNotGoneWhenTheyPause) {
  frames(500ms, 0.1, 0);
  frames(500ms, 0.001, 0);
  EXPECT_TRUE(queue_.present());
}

TEST_F(CrossTrafficTest, TheyAreGoneWhenWhatWaitsIsOurs) {
  frames(500ms, 0.1, 0);
  frames(500ms, 0.1, 0.09);
  EXPECT_FALSE(queue_.present());
}

TEST_F(CrossTrafficTest, NothingThatWaitsAndThenOursForAMomentIsNoSignThatTheyAreGone) {
  frames(500ms, 0.1, 0);
  frames(300ms, 0.001, 0);
  frames(100ms, 0.1, 0.09);
  EXPECT_TRUE(queue_.present());
}

TEST_F(CrossTrafficTest, TwoFramesFarApartAreNoSignThatTheyAreGone) {
  frames(500ms, 0.1, 0);
  frames(33ms, 0.001, 0);
  now_ += 800ms;
  frames(33ms, 0.001, 0);
  EXPECT_TRUE(queue_.present());
}

// telemetry.ack_timestamps_per_second: every tenth frame of 30 per second.
TEST_F(CrossTrafficTest, TheyAreFoundWhereFewFramesAreLookedAt) {
  for (int i = 0; i < 4; ++i) {
    frames(33ms, 0.1, 0);
    now_ += 300ms;
  }
  EXPECT_TRUE(queue_.present());
}

// It grows while we take what we believe to be our share.
TEST_F(CrossTrafficTest, AQueueThatGrowsWithUsIsOursAfterAll) {
  frames(500ms, 0.1, 0);
  frames(100ms, 0.3, 0);
  EXPECT_FALSE(queue_.present());
  frames(2s, 0.3, 0);
  EXPECT_FALSE(queue_.present()) << "not at once again";
  frames(2s, 0.3, 0);
  EXPECT_TRUE(queue_.present());
}

}  // namespace
}  // namespace abr
