#include "transcoder/audio_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transcoder {
namespace {

using ::testing::ElementsAre;

constexpr auto kbps(double rate) { return base::BitRate::kbps(rate); }

TEST(AudioRatesTest, AreThreeByDefault) {
  EXPECT_THAT(audio_rates({}), ElementsAre(kbps(128), kbps(48), kbps(32)));
}

TEST(AudioRatesTest, AreNotBelowTheMinimum) {
  EXPECT_THAT(audio_rates({.rate = kbps(96), .min_rate = kbps(40)}),
              ElementsAre(kbps(96), kbps(48)));
}

TEST(AudioRatesTest, AreBelowTheConfiguredRate) {
  EXPECT_THAT(audio_rates({.rate = kbps(48)}), ElementsAre(kbps(48), kbps(32)));
  EXPECT_THAT(audio_rates({.rate = kbps(16), .min_rate = kbps(16)}), ElementsAre(kbps(16)));
}

TEST(AudioRatesTest, AMinimumAtOrAboveTheRateLeavesOnlyThat) {
  EXPECT_THAT(audio_rates({.rate = kbps(64), .min_rate = kbps(64)}), ElementsAre(kbps(64)));
  EXPECT_THAT(audio_rates({.rate = kbps(64), .min_rate = kbps(512)}), ElementsAre(kbps(64)));
}

}  // namespace
}  // namespace transcoder
