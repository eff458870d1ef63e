#include "base/log_limit.h"

#include <gtest/gtest.h>

#include <string>

namespace base {
namespace {

using namespace std::chrono_literals;

TEST(LogLimitTest, AllowsABurstAndThenAFewPerSecond) {
  LogLimit limit;
  Time now{1h};
  int written = 0;
  for (int i = 0; i < 20'000; ++i) written += limit.admit("joined", "", now += 1ms).write;
  EXPECT_NEAR(written, 1000 + 20 * 10, 2);
}

TEST(LogLimitTest, TellsHowManyWereLeftOut) {
  LogLimit limit;
  Time now{1h};
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(limit.admit("joined", "", now).write);
  for (int i = 0; i < 70; ++i) EXPECT_FALSE(limit.admit("joined", "", now).write);
  EXPECT_EQ(limit.admit("joined", "", now += 1s).left_out, 70u);
  EXPECT_EQ(limit.admit("joined", "", now).left_out, 0u);
}

TEST(LogLimitTest, OneKindTakesNothingFromAnother) {
  LogLimit limit;
  const Time now{1h};
  for (int i = 0; i < 5000; ++i) limit.admit("joined", "", now);
  EXPECT_TRUE(limit.admit("source_lost", "", now).write);
}

TEST(LogLimitTest, OneAddressTakesNothingFromAnother) {
  LogLimit limit;
  Time now{1h};
  int written = 0;
  for (int i = 0; i < 20'000; ++i) {
    written += limit.admit("joined", "192.0.2.1", now += 1ms).write;
    if (i % 1000 != 0) continue;
    EXPECT_TRUE(limit.admit("joined", "192.0.2.2", now).write) << i;
  }
  EXPECT_NEAR(written, 100 + 20 / 10, 1);
}

TEST(LogLimitTest, ManyAddressesAreLimitedInAll) {
  LogLimit limit;
  const Time now{1h};
  int written = 0;
  for (int i = 0; i < 5000; ++i) written += limit.admit("joined", std::to_string(i), now).write;
  EXPECT_EQ(written, 1000);
}

TEST(LogLimitTest, AnAddressHasItsLinesAgainLater) {
  LogLimit limit;
  Time now{1h};
  for (int i = 0; i < 500; ++i) limit.admit("joined", "192.0.2.1", now);
  now += 1h;
  int written = 0;
  for (int i = 0; i < 500; ++i) written += limit.admit("joined", "192.0.2.1", now).write;
  EXPECT_EQ(written, 100);
}

}  // namespace
}  // namespace base
