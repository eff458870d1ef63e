#include "app/telemetry/send_rate.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

class SendRateTest : public testing::Test {
 protected:
  /// Takes a sample; 125 bytes are sent per millisecond.
  std::optional<base::BitRate> sample(base::Duration at) {
    return rate_.sample(base::ByteCount{125 * (at / 1ms)}, base::Time{at});
  }

  SendRate rate_;
};

TEST_F(SendRateTest, OneSampleGivesNoRate) { EXPECT_EQ(sample(5s), std::nullopt); }

TEST_F(SendRateTest, ReturnsTheRateOfTheLastSecond) {
  for (auto at = 0ms; at < 3s; at += 100ms) sample(at);
  EXPECT_EQ(sample(3s), base::BitRate::mbps(1));
  // Nothing is sent from now on.
  EXPECT_EQ(rate_.sample(base::ByteCount{125 * 3000}, base::Time{3500ms}),
            base::BitRate::mbps(0.5));
}

TEST_F(SendRateTest, StartsAgainAfterAPause) {
  sample(1s);
  sample(1100ms);
  EXPECT_EQ(sample(9s), std::nullopt);
  EXPECT_EQ(sample(9100ms), base::BitRate::mbps(1));
}

}  // namespace
}  // namespace app
