#include "abr/path/cross_traffic.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;

class CrossTrafficTest : public testing::Test {
 protected:
  /// Adds frames for `time`, whose heads wait `total` seconds, `own` of them because of our own
  /// data, and which leave the path `spare` seconds without our data.
  void frames(base::Duration time, double total, double own, double spare = 0) {
    for (const auto end = now_ + time; now_ < end; now_ += 33ms) {
      queue_.add({.acked = now_,
                  .total = total,
                  .own = own,
                  .self_induced = own,
                  .spare = spare,
                  .neighbours = neighbours_,
                  .arrivals = arrivals_});
    }
  }

  bool neighbours_ = false;
  ArrivalSpacing::Queue arrivals_ = ArrivalSpacing::Queue::kUnknown;
  CrossTraffic queue_;
  base::Time now_{1h};
};

TEST_F(CrossTrafficTest, IsNotAssumedAtFirst) { EXPECT_FALSE(queue_.present()); }

TEST_F(CrossTrafficTest, IsFoundAfter300MillisecondsOfAQueueThatIsNotOurs) {
  frames(200ms, 0.1, 0);
  EXPECT_FALSE(queue_.present());
  frames(200ms, 0.1, 0);
  EXPECT_TRUE(queue_.present());
}

TEST_F(CrossTrafficTest, IsNotFoundInAQueueOfOurOwn) {
  frames(2s, 0.1, 0.09);
  EXPECT_FALSE(queue_.present());
}

// Cross traffic stretches trains: the capacity seems low, and the queue seems to be ours.
TEST_F(CrossTrafficTest, IsFoundInAQueueThatThePathHadTheTimeToDrain) {
  frames(500ms, 0.05, 0.04, 0.005);
  EXPECT_FALSE(queue_.present());
  frames(500ms, 0.05, 0.04, 0.005);
  EXPECT_TRUE(queue_.present());
}

// The path is slower than it seems to be, and drains our queue more slowly.
TEST_F(CrossTrafficTest, IsNotFoundInAQueueThatDrains) {
  for (double wait = 2; wait > 0.1; wait -= 0.003) {
    frames(33ms, wait, wait, 0.01);
    ASSERT_FALSE(queue_.present()) << wait;
  }
}

TEST_F(CrossTrafficTest, IsFoundIfFramesArriveAsFromOthersQueue) {
  arrivals_ = ArrivalSpacing::Queue::kOthers;
  frames(150ms, 0.1, 0.1);
  EXPECT_FALSE(queue_.present());
  frames(50ms, 0.1, 0.1);
  EXPECT_TRUE(queue_.present());
}

TEST_F(CrossTrafficTest, IsGoneIfFramesArriveAsFromAQueueOfOurs) {
  frames(500ms, 0.1, 0);
  arrivals_ = ArrivalSpacing::Queue::kOurs;
  frames(350ms, 0.1, 0);
  EXPECT_TRUE(queue_.present());
  frames(100ms, 0.1, 0);
  EXPECT_FALSE(queue_.present());
  frames(2s, 0.1, 0);
  EXPECT_FALSE(queue_.present()) << "it is not found again";
}

TEST_F(CrossTrafficTest, IsNotFoundInShortWaits) {
  frames(2s, 0.02, 0);
  EXPECT_FALSE(queue_.present());
}

TEST_F(CrossTrafficTest, IsGoneAfterASecondWithoutAQueue) {
  frames(500ms, 0.1, 0);
  frames(1s, 0.001, 0);
  EXPECT_FALSE(queue_.present());
}

// BBR's PROBE_RTT lasts 200 ms, and then its queue has to fill again.
TEST_F(CrossTrafficTest, IsNotGoneAfterAPauseOfBbr) {
  frames(500ms, 0.1, 0);
  frames(500ms, 0.001, 0);
  EXPECT_TRUE(queue_.present());
}

TEST_F(CrossTrafficTest, IsGoneWhenTheQueueIsOurs) {
  frames(500ms, 0.1, 0);
  frames(500ms, 0.1, 0.09);
  EXPECT_FALSE(queue_.present());
}

TEST_F(CrossTrafficTest, IsNotGoneAfterAPauseAndAShortQueueOfOurOwn) {
  frames(500ms, 0.1, 0);
  frames(300ms, 0.001, 0);
  frames(100ms, 0.1, 0.09);
  EXPECT_TRUE(queue_.present());
}

TEST_F(CrossTrafficTest, IsNotGoneAfterTwoFramesFarApart) {
  frames(500ms, 0.1, 0);
  frames(33ms, 0.001, 0);
  now_ += 800ms;
  frames(33ms, 0.001, 0);
  EXPECT_TRUE(queue_.present());
}

// telemetry.ack_timestamps_per_second may allow only every tenth of 30 frames per second.
TEST_F(CrossTrafficTest, IsFoundIfFewFramesAreSampled) {
  for (int i = 0; i < 4; ++i) {
    frames(33ms, 0.1, 0);
    now_ += 300ms;
  }
  EXPECT_TRUE(queue_.present());
}

// A newcomer fills a router's queue of any length. Whether our rate does is DrainCheck's question.
TEST_F(CrossTrafficTest, StaysWhileTheQueueGrows) {
  for (const double wait : {0.1, 0.3, 0.6, 1.0, 2.0}) {
    frames(500ms, wait, 0);
    EXPECT_TRUE(queue_.present()) << wait;
  }
}

// They all take what seems to be their share.
TEST_F(CrossTrafficTest, BesideMoreOfOursItIsRefutedByAQueueThatKeepsGrowing) {
  neighbours_ = true;
  frames(500ms, 0.1, 0);
  frames(100ms, 0.3, 0);
  EXPECT_FALSE(queue_.present());
  frames(2s, 0.3, 0);
  EXPECT_FALSE(queue_.present()) << "not for the next three seconds";
  frames(2s, 0.3, 0);
  EXPECT_TRUE(queue_.present());
}

}  // namespace
}  // namespace abr
