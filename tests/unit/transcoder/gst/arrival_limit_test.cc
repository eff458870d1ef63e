#include "transcoder/gst/arrival_limit.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

/// A sender of `rate` pictures per second, for `seconds`. It waits when it is held up.
struct Sent {
  Sent(ArrivalLimit& limit, double rate, int seconds, base::Time& now) {
    const base::Duration interval{static_cast<base::Duration::rep>(1e9 / rate)};
    for (const auto end = now + std::chrono::seconds{seconds}; now < end; now += interval) {
      const auto verdict = limit.take(now);
      kept += verdict.keep;
      ++all;
      now += verdict.wait;
      waited = waited || verdict.wait > 0s;
    }
  }

  int kept = 0;
  int all = 0;
  bool waited = false;
};

TEST(ArrivalLimitTest, KeepsAllBelowTheLimit) {
  ArrivalLimit limit{60};
  base::Time now{1h};
  const Sent sent{limit, 59, 60, now};
  EXPECT_EQ(sent.kept, sent.all);
  EXPECT_FALSE(sent.waited);
  EXPECT_FALSE(limit.exceeded(now));
}

TEST(ArrivalLimitTest, KeepsAsManyAsTheLimitOfMore) {
  ArrivalLimit limit{60};
  base::Time now{1h};
  const Sent burst{limit, 240, 10, now};
  const Sent later{limit, 240, 10, now};
  EXPECT_NEAR(burst.kept, 60 * 20, 1) << "ten seconds may come at once";
  EXPECT_NEAR(later.kept, 60 * 10, 1);
  EXPECT_TRUE(limit.exceeded(now));
  now += 10s;
  EXPECT_FALSE(limit.exceeded(now));
}

TEST(ArrivalLimitTest, HoldsASenderOfThousandsUp) {
  ArrivalLimit limit{60};
  base::Time now{1h};
  const Sent burst{limit, 20'000, 1, now};
  const Sent later{limit, 20'000, 10, now};
  EXPECT_TRUE(later.waited);
  EXPECT_LE(later.all, 10'100);
  EXPECT_NEAR(later.kept, 60 * 10, 1);
}

}  // namespace
}  // namespace transcoder
