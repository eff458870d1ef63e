#include "app/telemetry/send_rate.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

class SendRateTest : public testing::Test {
 protected:
  /// 125 bytes are sent per millisecond.
  std::optional<base::BitRate> look(base::Duration at) {
    return rate_.look(base::ByteCount{125 * (at / 1ms)}, base::Time{at});
  }

  SendRate rate_;
};

TEST_F(SendRateTest, OneLookIsNoRate) { EXPECT_EQ(look(5s), std::nullopt); }

TEST_F(SendRateTest, SaysWhatTheLastSecondWas) {
  for (auto at = 0ms; at < 3s; at += 100ms) look(at);
  EXPECT_EQ(look(3s), base::BitRate::mbps(1));
  // Nothing more, from now on.
  EXPECT_EQ(rate_.look(base::ByteCount{125 * 3000}, base::Time{3500ms}), base::BitRate::mbps(0.5));
}

TEST_F(SendRateTest, BeginsAgainAfterAPause) {
  look(1s);
  look(1100ms);
  EXPECT_EQ(look(9s), std::nullopt);
  EXPECT_EQ(look(9100ms), base::BitRate::mbps(1));
}

}  // namespace
}  // namespace app
