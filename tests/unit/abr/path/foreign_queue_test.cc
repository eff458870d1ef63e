#include "abr/path/foreign_queue.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;

class ForeignQueueTest : public testing::Test {
 protected:
  /// Pictures for so long whose heads waited `all` seconds, `own` of them behind our own, and which
  /// leave `spare` seconds.
  void pictures(base::Duration time, double all, double own, double spare = 0) {
    for (const auto end = now_ + time; now_ < end; now_ += 33ms) {
      queue_.add({.acked = now_, .all = all, .own = own, .surely_own = own, .spare = spare});
    }
  }

  ForeignQueue queue_;
  base::Time now_{1h};
};

TEST_F(ForeignQueueTest, NobodyIsThereAtFirst) { EXPECT_FALSE(queue_.shared()); }

TEST_F(ForeignQueueTest, AQueueThatIsNotOursIsSharedAfterAWhile) {
  pictures(200ms, 0.1, 0);
  EXPECT_FALSE(queue_.shared());
  pictures(200ms, 0.1, 0);
  EXPECT_TRUE(queue_.shared());
}

TEST_F(ForeignQueueTest, AQueueOfOurOwnIsNot) {
  pictures(2s, 0.1, 0.09);
  EXPECT_FALSE(queue_.shared());
}

// Trains that others draw out make the capacity look low, and what waits look ours.
TEST_F(ForeignQueueTest, AQueueThatStaysThoughThePathHadTimeForItIsShared) {
  pictures(500ms, 0.05, 0.04, 0.005);
  EXPECT_FALSE(queue_.shared());
  pictures(500ms, 0.05, 0.04, 0.005);
  EXPECT_TRUE(queue_.shared());
}

TEST_F(ForeignQueueTest, NoiseIsNot) {
  pictures(2s, 0.02, 0);
  EXPECT_FALSE(queue_.shared());
}

TEST_F(ForeignQueueTest, TheyAreGoneWhenNothingWaits) {
  pictures(500ms, 0.1, 0);
  pictures(1s, 0.001, 0);
  EXPECT_FALSE(queue_.shared());
}

// BBR's PROBE_RTT: 200 ms, and what its queue takes to fill again.
TEST_F(ForeignQueueTest, TheyAreNotGoneWhenTheyPause) {
  pictures(500ms, 0.1, 0);
  pictures(500ms, 0.001, 0);
  EXPECT_TRUE(queue_.shared());
}

TEST_F(ForeignQueueTest, TheyAreGoneWhenWhatWaitsIsOurs) {
  pictures(500ms, 0.1, 0);
  pictures(500ms, 0.1, 0.09);
  EXPECT_FALSE(queue_.shared());
}

TEST_F(ForeignQueueTest, NothingThatWaitsAndThenOursForAMomentIsNoSignThatTheyAreGone) {
  pictures(500ms, 0.1, 0);
  pictures(300ms, 0.001, 0);
  pictures(100ms, 0.1, 0.09);
  EXPECT_TRUE(queue_.shared());
}

TEST_F(ForeignQueueTest, TwoPicturesFarApartAreNoSignThatTheyAreGone) {
  pictures(500ms, 0.1, 0);
  pictures(33ms, 0.001, 0);
  now_ += 800ms;
  pictures(33ms, 0.001, 0);
  EXPECT_TRUE(queue_.shared());
}

// telemetry.marks_per_second: every tenth picture of 30 per second.
TEST_F(ForeignQueueTest, TheyAreFoundWhereFewPicturesAreLookedAt) {
  for (int i = 0; i < 4; ++i) {
    pictures(33ms, 0.1, 0);
    now_ += 300ms;
  }
  EXPECT_TRUE(queue_.shared());
}

// It grows while we take what we believe to be our share.
TEST_F(ForeignQueueTest, AQueueThatGrowsWithUsIsOursAfterAll) {
  pictures(500ms, 0.1, 0);
  pictures(100ms, 0.3, 0);
  EXPECT_FALSE(queue_.shared());
  pictures(2s, 0.3, 0);
  EXPECT_FALSE(queue_.shared()) << "not at once again";
  pictures(2s, 0.3, 0);
  EXPECT_TRUE(queue_.shared());
}

}  // namespace
}  // namespace abr
