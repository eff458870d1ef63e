#include "transcoder/encode/audio_aligner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace transcoder {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kSecond = media::kAudioRate;

/// Feeds an aligner and records its output as one sequence of samples (left channel).
class AudioAlignerTest : public ::testing::Test {
 protected:
  /// Pushes `length` of audio whose samples are all `level`.
  void push(media::Pts pts, milliseconds length, float level = 1) {
    const auto count = static_cast<std::size_t>(length.count() * kSecond / 1000);
    keep(aligner_.push(
        {.pts = pts, .values = std::vector<float>(count * media::kAudioChannels, level)}));
  }

  void advance(media::Pts video) { keep(aligner_.advance(video)); }

  /// The position after the newest block, in samples.
  std::int64_t end() const {
    return *first_ * kBlockSamples + static_cast<std::int64_t>(row_.size());
  }

  float at(milliseconds time) const {
    return row_.at(
        static_cast<std::size_t>(time.count() * kSecond / 1000 - *first_ * kBlockSamples));
  }

  AudioAligner aligner_;
  std::vector<float> row_;
  std::optional<std::int64_t> first_;  ///< index of the first block

 private:
  void keep(const std::vector<AudioBlock>& blocks) {
    for (const auto& block : blocks) {
      if (!first_) first_ = block.index;
      EXPECT_EQ(block.index * kBlockSamples, end()) << "blocks without a gap";
      EXPECT_EQ(block.values.size(),
                static_cast<std::size_t>(kBlockSamples * media::kAudioChannels));
      for (std::size_t i = 0; i < block.values.size(); i += 2) row_.push_back(block.values[i]);
    }
  }
};

TEST(BlockPtsTest, IsExactForWeeks) {
  EXPECT_EQ(block_pts(0), media::Pts{0});
  EXPECT_EQ(block_pts(1), media::Pts{21'333'333});
  EXPECT_EQ(block_pts(3), media::Pts{64'000'000});
  EXPECT_EQ(block_pts(375 * 1'000'000), std::chrono::seconds{8'000'000});
}

TEST_F(AudioAlignerTest, AShortGapIsBridgedFromBothSides) {
  push(milliseconds{0}, milliseconds{1000}, 0.8F);
  push(milliseconds{1040}, milliseconds{20}, 0.4F);
  push(milliseconds{1060}, milliseconds{500}, 0.4F);
  EXPECT_NEAR(at(milliseconds{1001}), 0.8, 0.02);
  EXPECT_NEAR(at(milliseconds{1020}), 0.6, 0.02);
  EXPECT_NEAR(at(milliseconds{1039}), 0.4, 0.02);
  EXPECT_EQ(aligner_.counts().silence_samples, static_cast<std::uint64_t>(kSecond * 40 / 1000));
}

TEST_F(AudioAlignerTest, ALongGapIsSilent) {
  push(milliseconds{0}, milliseconds{1000}, 0.8F);
  push(milliseconds{1070}, milliseconds{500}, 0.4F);
  EXPECT_EQ(at(milliseconds{1001}), 0);
  EXPECT_EQ(at(milliseconds{1069}), 0);
}

TEST_F(AudioAlignerTest, ContinuousAudioIsUnchanged) {
  for (int ms = 0; ms < 1000; ms += 20) push(milliseconds{ms}, milliseconds{20});
  EXPECT_EQ(*first_, 0);
  EXPECT_EQ(end(), kSecond / kBlockSamples * kBlockSamples);
  EXPECT_EQ(aligner_.counts().silence_samples, 0U);
  EXPECT_EQ(aligner_.counts().dropped_samples, 0U);
}

TEST_F(AudioAlignerTest, StartsAtTheFirstBlockAfterTheBeginning) {
  push(milliseconds{5000}, milliseconds{100});
  EXPECT_EQ(*first_, 235);  // 5.0133 s; block 234 begins at 4.992 s
}

TEST_F(AudioAlignerTest, SilenceBeginsWithThePicturesIfThereIsNoAudio) {
  for (int ms = 3000; ms <= 4000; ms += 40) advance(milliseconds{ms});
  EXPECT_EQ(*first_, 141);  // 3.008 s
  EXPECT_GT(end(), 4 * kSecond - kBlockSamples);
  EXPECT_LE(end(), 4 * kSecond);
}

TEST_F(AudioAlignerTest, AudioThatStartsLateFollowsTheSilence) {
  for (int ms = 0; ms <= 1000; ms += 40) advance(milliseconds{ms});
  for (int ms = 1000; ms < 1500; ms += 20) push(milliseconds{ms}, milliseconds{20});
  EXPECT_EQ(at(milliseconds{900}), 0);
  EXPECT_EQ(at(milliseconds{1100}), 1);
}

TEST_F(AudioAlignerTest, GapBecomesSilence) {
  push(milliseconds{0}, milliseconds{100});
  push(milliseconds{300}, milliseconds{100});
  EXPECT_EQ(at(milliseconds{99}), 1);
  EXPECT_EQ(at(milliseconds{101}), 0);
  EXPECT_EQ(at(milliseconds{299}), 0);
  EXPECT_EQ(at(milliseconds{301}), 1);
  EXPECT_EQ(aligner_.counts().silence_samples, static_cast<std::uint64_t>(kSecond / 5));
}

TEST_F(AudioAlignerTest, OverlapIsDropped) {
  push(milliseconds{0}, milliseconds{100});
  push(milliseconds{50}, milliseconds{100}, 2);
  push(milliseconds{150}, milliseconds{100}, 3);
  EXPECT_EQ(at(milliseconds{99}), 1);
  EXPECT_EQ(at(milliseconds{101}), 2);
  EXPECT_EQ(at(milliseconds{151}), 3);
  EXPECT_EQ(aligner_.counts().dropped_samples, static_cast<std::uint64_t>(kSecond / 20));
}

TEST_F(AudioAlignerTest, RoundedTimestampsCountAsContinuous) {
  for (int i = 0; i < 50; ++i) push(milliseconds{20 * i + (i % 3) * 7}, milliseconds{20});
  EXPECT_EQ(aligner_.counts().silence_samples, 0U);
  EXPECT_EQ(aligner_.counts().dropped_samples, 0U);
}

TEST_F(AudioAlignerTest, ClockDriftCausesNoGapsOrCuts) {
  // The clocks differ by 20 ms and more in the end; 15 ms are accepted.
  for (const auto& [ppm, seconds] : {std::pair{-500, 60}, {-50, 400}, {50, 400}, {500, 40}}) {
    AudioAligner aligner;
    for (int i = 0; i < 50 * seconds; ++i) {
      const auto pts = milliseconds{20} * i;
      aligner.push({.pts = pts + pts / 1'000'000 * ppm,
                    .values = std::vector<float>(kSecond / 50 * media::kAudioChannels, 1)});
    }
    EXPECT_EQ(aligner.counts().silence_samples, 0U) << ppm;
    EXPECT_EQ(aligner.counts().dropped_samples, 0U) << ppm;
  }
}

TEST_F(AudioAlignerTest, SteeringCausesNoClicks) {
  const double turn = 2 * std::numbers::pi * 1000 / kSecond;  // 1 kHz
  for (int i = 0; i < 500; ++i) {
    media::Samples samples{.pts = milliseconds{20} * i + std::chrono::microseconds{10} * i,
                           .values = {}};
    for (int n = 0; n < 960; ++n) {
      const auto value = static_cast<float>(std::sin(turn * (960 * i + n)));
      samples.values.insert(samples.values.end(), {value, value});
    }
    for (const auto& block : aligner_.push(samples)) {
      for (std::size_t n = 0; n < block.values.size(); n += 2) row_.push_back(block.values[n]);
    }
  }
  float step = 0;
  for (std::size_t n = 1; n < row_.size(); ++n) {
    step = std::max(step, std::abs(row_[n] - row_[n - 1]));
  }
  EXPECT_LT(step, 1.1 * turn);  // no click: a sine never rises faster
}

TEST_F(AudioAlignerTest, AudioFarBehindThePicturesIsUsed) {
  for (int ms = 0; ms < 5000; ms += 20) {
    advance(milliseconds{ms + 1700});
    push(milliseconds{ms}, milliseconds{20});
  }
  EXPECT_EQ(at(milliseconds{4900}), 1);
}

TEST_F(AudioAlignerTest, WaitsALittleForAudioThatHasBeenArriving) {
  push(milliseconds{0}, milliseconds{100});
  const auto before = row_.size();
  advance(milliseconds{340});
  EXPECT_EQ(row_.size(), before);
}

TEST_F(AudioAlignerTest, FillsWithSilenceAfterTheWait) {
  push(milliseconds{0}, milliseconds{100});
  advance(milliseconds{360});
  EXPECT_GT(end(), kSecond * 33 / 100);
  EXPECT_LE(end(), kSecond * 36 / 100);
}

TEST_F(AudioAlignerTest, WaitsLongerForAudioThatIsAlwaysLate) {
  for (int ms = 0; ms < 5000; ms += 20) {
    advance(milliseconds{ms + 700});
    push(milliseconds{ms}, milliseconds{20});
  }
  EXPECT_EQ(at(milliseconds{4900}), 1);
  const auto before = row_.size();
  advance(milliseconds{5800});
  EXPECT_EQ(row_.size(), before);
  advance(milliseconds{6100});
  EXPECT_GT(row_.size(), before);
}

TEST_F(AudioAlignerTest, AudioThatWasOnlyLateIsUsedAgain) {
  push(milliseconds{0}, milliseconds{100});
  advance(milliseconds{1200});
  // 300 ms behind the pictures: the first 300 ms overlap the silence, the rest is used.
  for (int ms = 900; ms < 2000; ms += 20) {
    push(milliseconds{ms}, milliseconds{20});
    advance(milliseconds{ms + 300});
  }
  EXPECT_EQ(at(milliseconds{1190}), 0);
  EXPECT_EQ(at(milliseconds{1250}), 1);
  EXPECT_EQ(at(milliseconds{1950}), 1);
}

TEST_F(AudioAlignerTest, MakesNoSilenceFarAheadOfThePictures) {
  advance(milliseconds{0});
  push(milliseconds{60'000}, milliseconds{100});
  advance(milliseconds{40});
  EXPECT_LE(row_.size(), static_cast<std::size_t>(kSecond * 40 / 1000));
  EXPECT_EQ(aligner_.counts().dropped_samples, static_cast<std::uint64_t>(kSecond / 10));
}

TEST_F(AudioAlignerTest, AudioBeforeTheEpochIsDropped) {
  push(milliseconds{-500}, milliseconds{100});
  EXPECT_TRUE(row_.empty());
  push(milliseconds{0}, milliseconds{100});
  EXPECT_EQ(*first_, 0);
  EXPECT_EQ(at(milliseconds{10}), 1);
}

TEST(AudioAlignerHoleTest, SkipsAGapThatWouldTakeLongToFill) {
  AudioAligner aligner;
  aligner.advance(milliseconds{0});
  aligner.advance(std::chrono::hours{1});
  const auto blocks = aligner.advance(std::chrono::hours{1} + milliseconds{100});
  EXPECT_LE(blocks.size(), 5U);
  EXPECT_GE(block_pts(blocks.at(0).index), std::chrono::hours{1});
}

}  // namespace
}  // namespace transcoder
