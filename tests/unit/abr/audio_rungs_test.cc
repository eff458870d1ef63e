#include "abr/audio_rungs.h"

#include <gtest/gtest.h>

#include <array>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

constexpr std::array kRates{BitRate::kbps(128), BitRate::kbps(48), BitRate::kbps(32)};

TEST(AudioRungsTest, TheVideoRateIsFiveTimesTheAudioOrMore) {
  EXPECT_EQ(audio_rung(BitRate::mbps(5), kRates), 0);
  EXPECT_EQ(audio_rung(BitRate::kbps(640), kRates), 0);
  EXPECT_EQ(audio_rung(BitRate::kbps(639), kRates), 1);
  EXPECT_EQ(audio_rung(BitRate::kbps(240), kRates), 1);
  EXPECT_EQ(audio_rung(BitRate::kbps(239), kRates), 2);
  EXPECT_EQ(audio_rung(BitRate{}, kRates), 2);
}

TEST(AudioRungsTest, OneRateIsTheOnlyRung) {
  EXPECT_EQ(audio_rung(BitRate{}, std::span{kRates}.first(1)), 0);
}

TEST(AudioRungsTest, FallsAtOnceAndRisesLater) {
  AudioRungs rungs{{kRates.begin(), kRates.end()}};
  base::Time now{1h};
  EXPECT_EQ(rungs.update(BitRate::mbps(1), now), 0);
  EXPECT_EQ(rungs.update(BitRate::kbps(100), now), 2);
  now += 10s;
  EXPECT_EQ(rungs.update(BitRate::kbps(100), now), 2);
  for (int i = 0; i < 10; ++i, now += 200ms) EXPECT_EQ(rungs.update(BitRate::mbps(1), now), 2);
  EXPECT_EQ(rungs.update(BitRate::kbps(100), now), 2);
  now += 2s;
  EXPECT_EQ(rungs.update(BitRate::mbps(1), now), 2);
  now += 1s;
  EXPECT_EQ(rungs.update(BitRate::mbps(1), now), 0);
}

}  // namespace
}  // namespace abr
