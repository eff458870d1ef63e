#include "transcoder/ingest/backoff.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

constexpr double kMiddle = 0.5;  // no jitter

TEST(BackoffTest, DoublesUpToTheMaximum) {
  Backoff backoff{500ms, 3s};
  EXPECT_EQ(backoff.next(0s, kMiddle), 500ms);
  EXPECT_EQ(backoff.next(0s, kMiddle), 1s);
  EXPECT_EQ(backoff.next(0s, kMiddle), 2s);
  EXPECT_EQ(backoff.next(0s, kMiddle), 3s);
  EXPECT_EQ(backoff.next(0s, kMiddle), 3s);
}

TEST(BackoffTest, SpreadsByAQuarter) {
  EXPECT_EQ((Backoff{1s, 8s}.next(0s, 0)), 750ms);
  EXPECT_EQ((Backoff{1s, 8s}.next(0s, 1)), 1250ms);
}

TEST(BackoffTest, BeginsAtTheMinimumAfterASourceHasPlayed) {
  Backoff backoff{500ms, 30s};
  for (int i = 0; i < 8; ++i) backoff.next(0s, kMiddle);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(backoff.next(500ms, kMiddle), 500ms);
}

TEST(BackoffTest, APictureBeforeEachFailureIsNoSuccess) {
  Backoff backoff{500ms, 30s};
  backoff.next(40ms, kMiddle);
  EXPECT_EQ(backoff.next(40ms, kMiddle), 1s);
  EXPECT_EQ(backoff.next(40ms, kMiddle), 2s);
}

}  // namespace
}  // namespace transcoder
