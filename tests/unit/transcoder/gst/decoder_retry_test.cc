#include "transcoder/gst/decoder_retry.h"

#include <gtest/gtest.h>

#include <utility>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

class DecoderRetryTest : public testing::Test {
 protected:
  /// The decoder fails. Returns for how long there is none.
  base::Duration fail() {
    const auto next = retry_.failed(now_);
    return next - std::exchange(now_, next);
  }
  void work(base::Duration time) {
    retry_.decoded(now_);
    now_ += time;
    retry_.decoded(now_);
  }

  DecoderRetry retry_;
  base::Time now_{1h};
};

TEST_F(DecoderRetryTest, TheFirstFailureCostsNoTime) { EXPECT_EQ(fail(), 0ms); }

TEST_F(DecoderRetryTest, ATrackThatNeverDecodesIsTriedOncePerMinute) {
  fail();
  EXPECT_EQ(fail(), 100ms);
  EXPECT_EQ(fail(), 200ms);
  for (int i = 0; i < 20; ++i) fail();
  EXPECT_EQ(fail(), 1min);
}

TEST_F(DecoderRetryTest, RareFailuresAreNoSeries) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(fail(), 0ms);
    work(10s);
  }
}

TEST_F(DecoderRetryTest, GarbageThatPassesCostsAsMuchAgainAtMost) {
  const auto over = now_ + 3s;
  while (now_ < over) {
    work(1ms);
    fail();
  }
  EXPECT_LT(now_, over + 3s);
  work(10s);
  EXPECT_EQ(fail(), 0ms) << "a new series";
}

}  // namespace
}  // namespace transcoder
