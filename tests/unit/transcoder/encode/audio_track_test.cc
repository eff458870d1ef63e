#include "transcoder/encode/audio_track.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "aac_decoder.h"
#include "transcoder/encode/audio_aligner.h"
#include "transcoder/encode/ts_muxer.h"
#include "ts_inspect.h"

namespace transcoder {
namespace {

using std::chrono::milliseconds;

media::Samples tone(milliseconds pts, milliseconds length) {
  media::Samples samples{.pts = pts, .values = {}};
  const auto first = pts.count() * media::kAudioRate / 1000;
  for (std::int64_t i = 0; i < length.count() * media::kAudioRate / 1000; ++i) {
    const auto value =
        static_cast<float>(0.5 * std::sin(static_cast<double>(first + i) * 6.283185 / 48));
    samples.values.insert(samples.values.end(), {value, value});
  }
  return samples;
}

class AudioTrackTest : public ::testing::Test {
 protected:
  std::vector<media::AudioFramePtr> frames_;
  AudioTrack track_{{},
                    [this](media::AudioFramePtr frame) { frames_.push_back(std::move(frame)); }};
};

TEST_F(AudioTrackTest, NumbersFramesFromZero) {
  for (int ms = 0; ms < 500; ms += 20) track_.push(tone(milliseconds{ms}, milliseconds{20}));
  ASSERT_GT(frames_.size(), 15U);
  for (std::size_t i = 0; i < frames_.size(); ++i) EXPECT_EQ(frames_[i]->number, i);
}

TEST_F(AudioTrackTest, TimestampsAreMultiplesOfAFrame) {
  for (int ms = 700; ms < 1200; ms += 20) track_.push(tone(milliseconds{ms}, milliseconds{20}));
  ASSERT_GT(frames_.size(), 15U);
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    EXPECT_EQ(frames_[i]->pts, block_pts(33 + static_cast<std::int64_t>(i)));  // 33: 704 ms
  }
}

TEST_F(AudioTrackTest, SilentTrackFollowsThePictures) {
  for (int ms = 0; ms <= 2000; ms += 40) track_.advance(milliseconds{ms});
  ASSERT_FALSE(frames_.empty());
  EXPECT_GT(frames_.back()->pts, milliseconds{2000 - 100});
  EXPECT_LE(frames_.back()->pts, milliseconds{2000});
}

TEST_F(AudioTrackTest, AudioStaysAtItsTime) {
  // After silence, a tone that starts at 1 s must be loud from 1 s on.
  for (int ms = 0; ms <= 1000; ms += 40) track_.advance(milliseconds{ms});
  for (int ms = 1000; ms < 2000; ms += 20) track_.push(tone(milliseconds{ms}, milliseconds{20}));
  TsMuxer muxer{"live", VideoCodec::kH264, true};
  std::vector<std::uint8_t> bytes;
  for (const auto& frame : frames_) {
    const auto unit = muxer.mux(frame->rungs[0], frame->pts);
    ASSERT_TRUE(unit);
    bytes.insert(bytes.end(), unit->begin(), unit->end());
  }
  const auto decoded = test::decode_ts(bytes);
  const auto loud =
      std::ranges::find_if(decoded.samples, [](float v) { return std::abs(v) > 0.25F; });
  EXPECT_NEAR(static_cast<double>(loud - decoded.samples.begin()), media::kAudioRate, 512);
}

TEST_F(AudioTrackTest, SurvivesSamplesThatAreNotNumbers) {
  auto broken = tone(milliseconds{0}, milliseconds{500});
  for (std::size_t i = 0; i < broken.values.size(); i += 7) {
    broken.values[i] = std::numeric_limits<float>::quiet_NaN();
    broken.values[i + 1] = std::numeric_limits<float>::infinity();
  }
  track_.push(std::move(broken));
  EXPECT_GE(frames_.size(), 20U);
}

TEST_F(AudioTrackTest, CountsSilenceAndNoFailures) {
  for (int ms = 0; ms <= 1000; ms += 40) track_.advance(milliseconds{ms});
  EXPECT_EQ(track_.state().failures, 0U);
  EXPECT_EQ(track_.state().silence_inserted_samples, static_cast<std::uint64_t>(media::kAudioRate));
}

TEST_F(AudioTrackTest, EncodesTheHighestRateAlone) {
  for (int ms = 0; ms <= 1000; ms += 40) track_.advance(milliseconds{ms});
  EXPECT_EQ(track_.state().encoders, 1U);
  EXPECT_FALSE(frames_.back()->rungs[0].bytes.empty());
  EXPECT_TRUE(frames_.back()->rungs[1].bytes.empty());
}

TEST_F(AudioTrackTest, ARateThatIsWantedJoinsTheOthersAtTheSameFrame) {
  int ms = 0;
  for (; ms < 500; ms += 20) track_.push(tone(milliseconds{ms}, milliseconds{20}));
  track_.want(0b101);
  for (; ms < 2000; ms += 20) track_.push(tone(milliseconds{ms}, milliseconds{20}));
  EXPECT_EQ(track_.state().encoders, 2U);
  const auto begin = std::ranges::find_if(
      frames_, [](const auto& frame) { return !frame->rungs[2].bytes.empty(); });
  EXPECT_LE((*begin)->pts, milliseconds{500 + 43});
  for (std::size_t i = 0; i < frames_.size(); ++i) EXPECT_EQ(frames_[i]->number, i);
  std::vector<std::vector<std::uint8_t>> high;
  std::vector<std::vector<std::uint8_t>> low;
  for (auto frame = begin; frame != frames_.end(); ++frame) {
    high.push_back((*frame)->rungs[0].bytes);
    low.push_back((*frame)->rungs[2].bytes);
    EXPECT_FALSE(low.back().empty());
  }
  const auto expected = test::decode_aac(high)[0];
  const auto decoded = test::decode_aac(low)[0];
  double error = 0;
  double energy = 0;
  for (std::size_t i = 2 * kBlockSamples; i < decoded.size(); ++i) {
    error += std::pow(decoded[i] - expected[i], 2);
    energy += std::pow(expected[i], 2);
  }
  EXPECT_LT(error, 0.02 * energy) << "the tone is elsewhere";
}

TEST_F(AudioTrackTest, ARateStopsOnceNobodyHasWantedItForThreeSeconds) {
  int ms = 0;
  const auto play_until = [&](int end) {
    for (; ms < end; ms += 20) track_.push(tone(milliseconds{ms}, milliseconds{20}));
  };
  track_.want(0b010);
  play_until(500);
  track_.want({});
  play_until(3400);
  EXPECT_EQ(track_.state().encoders, 2U) << "a viewer may be back";
  play_until(3600);
  EXPECT_EQ(track_.state().encoders, 1U);
  track_.want(0b010);
  play_until(4000);
  EXPECT_FALSE(frames_.back()->rungs[1].bytes.empty());
  EXPECT_EQ(track_.state().failures, 0U);
}

TEST_F(AudioTrackTest, TwoThreadsKeepTheOrder) {
  {
    std::jthread pictures{[&] {
      for (int ms = 0; ms < 1000; ms += 10) track_.advance(milliseconds{ms});
    }};
    for (int ms = 0; ms < 1000; ms += 20) track_.push(tone(milliseconds{ms}, milliseconds{20}));
  }
  for (std::size_t i = 1; i < frames_.size(); ++i) EXPECT_GT(frames_[i]->pts, frames_[i - 1]->pts);
}

}  // namespace
}  // namespace transcoder
