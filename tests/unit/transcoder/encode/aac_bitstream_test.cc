#include "transcoder/encode/aac_bitstream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "aac_decoder.h"
#include "transcoder/encode/aac_encoder.h"
#include "transcoder/encode/bits.h"

namespace transcoder {
namespace {

using media::AudioWindow;
using Bytes = std::vector<std::uint8_t>;

/// A field of a frame, and its number of bits.
struct Field {
  unsigned value;
  unsigned bits;
};

Bytes frame(std::initializer_list<Field> fields) {
  BitWriter out;
  for (const auto& field : fields) out.write(field.value, field.bits);
  return out.take();
}

constexpr Field kChannel{0, 3};
constexpr Field kPair{1, 3};
constexpr Field kEnd{7, 3};
constexpr Field kTag{0, 4};
constexpr Field kGain{99, 8};
constexpr Field kReserved{0, 1};

TEST(AacWindowTest, IsReadFromAChannelAndFromAPair) {
  const Field sine{0, 1};
  const Field kbd{1, 1};
  const Field only_long{0, 2};
  EXPECT_EQ(aac_window(frame({kChannel, kTag, kGain, kReserved, only_long, kbd, {0, 7}})),
            AudioWindow::kLongKbd);
  EXPECT_EQ(aac_window(frame({kPair, kTag, {1, 1}, kReserved, only_long, sine, {0, 7}})),
            AudioWindow::kLongSine);
}

TEST(AacWindowTest, SaysHowTheFrameEnds) {
  const auto of = [](unsigned sequence, unsigned shape) {
    return aac_window(
        frame({kPair, kTag, {1, 1}, kReserved, {sequence, 2}, {shape, 1}, {0, 4}, {0, 7}}));
  };
  EXPECT_EQ(of(1, 0), AudioWindow::kShortSine) << "LONG_START";
  EXPECT_EQ(of(2, 1), AudioWindow::kShortKbd) << "EIGHT_SHORT";
  EXPECT_EQ(of(3, 0), AudioWindow::kLongSine) << "LONG_STOP";
}

TEST(AacWindowTest, IsUnknownIfTheChannelsMayDifferOrAnythingElseComesFirst) {
  EXPECT_EQ(aac_window(frame({kPair, kTag, {0, 1}, {0, 40}})), AudioWindow::kUnknown);
  EXPECT_EQ(aac_window(frame({{6, 3}, {0, 40}})), AudioWindow::kUnknown);
  EXPECT_EQ(aac_window({}), AudioWindow::kUnknown);
}

TEST(AacPairTest, IsRefusedForAPairAndForACutFrame) {
  EXPECT_FALSE(aac_pair(frame({kPair, kTag, {1, 1}, {0, 40}, kEnd})));
  EXPECT_FALSE(aac_pair(frame({kChannel, kTag, kGain})));
  EXPECT_FALSE(aac_pair(frame({kChannel, kTag, kGain, kReserved, {0, 10}, {5, 3}})));
  EXPECT_FALSE(aac_pair(Bytes(20, 0)));
  EXPECT_FALSE(aac_pair({}));
}

/// Steady tones, 1 kHz on the left and 8 kHz on both sides, with a burst in every 40th block.
AudioBlock block(std::int64_t index) {
  AudioBlock result{.index = index, .values = {}};
  for (std::int64_t i = 0; i < kBlockSamples; ++i) {
    const auto at = static_cast<double>(index * kBlockSamples + i) * 2 * 3.14159265358979 / 48'000;
    const bool burst = index % 40 == 20 && i > 300 && i < 400;
    const double both = 0.1 * std::sin(8000 * at) + (burst ? 0.8 * std::sin(3000 * at) : 0);
    result.values.push_back(static_cast<float>(both + 0.2 * std::sin(1000 * at)));
    result.values.push_back(static_cast<float>(both));
  }
  return result;
}

std::vector<AacFrame> encode(base::BitRate rate, AacContent content, std::int64_t blocks) {
  AacEncoder encoder{rate, content};
  std::vector<AacFrame> frames;
  for (std::int64_t i = 0; i < blocks; ++i) {
    if (auto coded = encoder.encode(block(i))) frames.push_back(std::move(*coded));
  }
  EXPECT_EQ(encoder.failures(), 0U);
  return frames;
}

TEST(AacEncoderTest, StatesTheWindowsOfToneAndTransient) {
  for (const auto content : {AacContent::kStereo, AacContent::kMono}) {
    const auto frames = encode(base::BitRate::kbps(64), content, 50);
    EXPECT_EQ(frames.at(15).audio.ends, AudioWindow::kLongKbd);
    // The frame before the burst changes to short windows.
    EXPECT_EQ(frames.at(18).audio.ends, AudioWindow::kShortSine);
    EXPECT_EQ(frames.at(19).audio.begins, AudioWindow::kShortSine);
    EXPECT_EQ(frames.at(30).audio.begins, AudioWindow::kLongKbd);
  }
}

TEST(AacEncoderTest, NoFrameBeginsWithTheEncodersName) {
  for (const auto& frame : encode(base::BitRate::kbps(128), AacContent::kStereo, 300)) {
    EXPECT_EQ(frame.audio.bytes.at(0) >> 5, 1) << "frame " << frame.index;
  }
}

std::vector<Bytes> bytes_of(const std::vector<AacFrame>& frames) {
  std::vector<Bytes> result;
  for (const auto& frame : frames) result.push_back(frame.audio.bytes);
  return result;
}

/// Amplitude of a tone in `samples`.
double amplitude(std::span<const float> samples, double hertz) {
  double sine = 0;
  double cosine = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double at = static_cast<double>(i) * hertz * 2 * 3.14159265358979 / 48'000;
    sine += samples[i] * std::sin(at);
    cosine += samples[i] * std::cos(at);
  }
  return 2 * std::hypot(sine, cosine) / static_cast<double>(samples.size());
}

TEST(AacEncoderTest, MonoIsTheMeanInBothChannels) {
  const auto frames = encode(base::BitRate::kbps(32), AacContent::kMono, 100);
  const auto channels = test::decode_aac(bytes_of(frames));
  EXPECT_EQ(channels[0], channels[1]);
  const auto steady = std::span{channels[0]}.subspan(25 * 1024, 30 * 1024);
  EXPECT_NEAR(amplitude(steady, 1000), 0.1, 0.01);
  EXPECT_NEAR(amplitude(steady, 8000), 0.1, 0.02) << "speech needs this much bandwidth";
}

TEST(AacEncoderTest, KeepsToTheRate) {
  const auto rate_of = [](base::BitRate rate, AacContent content) {
    std::int64_t bytes = 0;
    const auto frames = encode(rate, content, 300);
    for (const auto& frame : frames) bytes += std::ssize(frame.audio.bytes);
    return base::BitRate::of(base::ByteCount{bytes}, frames.size() * kAacFrameDuration) / rate;
  };
  EXPECT_LT(rate_of(base::BitRate::kbps(64), AacContent::kStereo), 1.05);
  EXPECT_LT(rate_of(base::BitRate::kbps(32), AacContent::kMono), 1.05);
  EXPECT_GT(rate_of(base::BitRate::kbps(32), AacContent::kMono), 0.9) << "room for quality";
}

}  // namespace
}  // namespace transcoder
