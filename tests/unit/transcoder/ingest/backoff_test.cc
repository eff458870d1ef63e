#include "transcoder/ingest/backoff.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

constexpr double kMiddle = 0.5;  // no jitter

TEST(BackoffTest, DoublesUpToTheMaximum) {
  Backoff backoff{500ms, 3s};
  EXPECT_EQ(backoff.next(kMiddle), 500ms);
  EXPECT_EQ(backoff.next(kMiddle), 1s);
  EXPECT_EQ(backoff.next(kMiddle), 2s);
  EXPECT_EQ(backoff.next(kMiddle), 3s);
  EXPECT_EQ(backoff.next(kMiddle), 3s);
}

TEST(BackoffTest, SpreadsByAQuarter) {
  EXPECT_EQ((Backoff{1s, 8s}.next(0)), 750ms);
  EXPECT_EQ((Backoff{1s, 8s}.next(1)), 1250ms);
}

TEST(BackoffTest, BeginsAtTheMinimumAfterReset) {
  Backoff backoff{500ms, 30s};
  backoff.next(kMiddle);
  backoff.next(kMiddle);
  backoff.reset();
  EXPECT_EQ(backoff.next(kMiddle), 500ms);
}

}  // namespace
}  // namespace transcoder
