#include "transcoder/testsource/test_tone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

float loudest(const media::Samples& samples) {
  float peak = 0;
  for (const float value : samples.values) peak = std::max(peak, std::abs(value));
  return peak;
}

TEST(TestToneTest, BeepsForATenthOfEachSecond) {
  const TestTone tone{0ms};
  EXPECT_GT(loudest(tone.samples(48000, 48000 + 4800)), 0.2);
  EXPECT_LT(loudest(tone.samples(4800, 48000)), 0.02);
}

TEST(TestToneTest, BeginsTheBeepAtItsPhase) {
  const TestTone tone{700ms};
  EXPECT_FALSE(tone.beeps(0ms));
  EXPECT_TRUE(tone.beeps(300ms));
  EXPECT_TRUE(tone.beeps(1399ms));
  EXPECT_FALSE(tone.beeps(1400ms));
}

TEST(TestToneTest, CountsPtsInSamples) {
  const auto samples = TestTone{0ms}.samples(24000, 24480);
  EXPECT_EQ(samples.pts, 500ms);
  EXPECT_EQ(samples.values.size(), 480u * media::kAudioChannels);
}

TEST(TestToneTest, PiecesJoinWithoutAClick) {
  const TestTone tone{0ms};
  const auto before = tone.samples(96000 - 1, 96000);
  const auto after = tone.samples(96000, 96001);
  EXPECT_LT(std::abs(after.values[0] - before.values[0]), 0.05);
}

}  // namespace
}  // namespace transcoder
