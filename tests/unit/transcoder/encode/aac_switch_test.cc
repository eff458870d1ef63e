#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "aac_decoder.h"
#include "transcoder/encode/aac_encoder.h"
#include "transcoder/encode/audio_choice.h"

// Changes of an audio rung, as a decoder hears them.

namespace transcoder {
namespace {

/// Middle and side: a rung without a side must not hide an error in the middle.
using Parts = std::array<std::vector<float>, 2>;

constexpr std::size_t kRungs = media::kMaxAudioRungs;
constexpr std::size_t kBlocks = 600;
constexpr std::size_t kSize = kBlockSamples;

/// Two tones, one of them wide, and strokes of various strengths: some are transients for one
/// encoder and none for another.
Parts make_input() {
  Parts input;
  std::minstd_rand random{1};
  std::uniform_real_distribution<double> exponent{-6, -1};
  std::size_t stroke = 0;
  double strength = 0;
  for (std::size_t i = 0; i < kBlocks * kSize; ++i) {
    const auto at = static_cast<double>(i) * 2 * 3.14159265358979 / 48'000;
    if (i % 9001 == 0) {
      stroke = i;
      strength = std::exp2(exponent(random));
    }
    const double hit =
        strength * std::sin(2500 * at) * std::exp(-static_cast<double>(i - stroke) / 500);
    input[0].push_back(static_cast<float>(0.2 * std::sin(440 * at) + hit));
    input[1].push_back(static_cast<float>(0.03 * std::sin(997 * at)));
  }
  return input;
}

/// Frame n of a rung is at index n.
std::vector<media::CodedAudio> encode(const Parts& input, std::size_t rung) {
  AacEncoder encoder{base::BitRate::kbps(128) * std::pow(0.5, rung),
                     rung == 2 ? AacContent::kMono : AacContent::kStereo};
  std::vector<media::CodedAudio> frames;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    AudioBlock samples{.index = static_cast<std::int64_t>(block), .values = {}};
    for (std::size_t i = block * kSize; i < (block + 1) * kSize; ++i) {
      samples.values.push_back(input[0][i] + input[1][i]);
      samples.values.push_back(input[0][i] - input[1][i]);
    }
    if (auto coded = encoder.encode(samples)) frames.push_back(std::move(coded->audio));
  }
  return frames;
}

/// A frame from which on another rung plays.
struct Change {
  std::size_t frame = 0;
  std::size_t from = 0;
  std::size_t to = 0;
};

class AacSwitchTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    input_ = make_input();
    for (std::size_t rung = 0; rung < kRungs; ++rung) {
      rungs_[rung] = encode(input_, rung);
      plain_[rung] = decode(std::vector<std::size_t>(rungs_[rung].size(), rung));
    }
  }

  /// `choice`: the rungs of the frames from `first` on. Their samples keep their places.
  static Parts decode(const std::vector<std::size_t>& choice, std::size_t first = 0) {
    std::vector<std::vector<std::uint8_t>> frames;
    for (const auto rung : choice) frames.push_back(rungs_[rung][first + frames.size()].bytes);
    const auto channels = test::decode_aac(frames);
    Parts parts;
    for (auto& part : parts) part.resize(first * kSize);
    for (std::size_t i = 0; i < channels[0].size(); ++i) {
      parts[0].push_back((channels[0][i] + channels[1][i]) / 2);
      parts[1].push_back((channels[0][i] - channels[1][i]) / 2);
    }
    return parts;
  }

  /// Energy of a part's error against the input where frame `n` overlaps the one before.
  static double error(const Parts& output, std::size_t part, std::size_t n) {
    double sum = 0;
    for (std::size_t i = n * kSize; i < (n + 1) * kSize; ++i) {
      sum += std::pow(output[part][i] - input_[part][i], 2);
    }
    return sum;
  }

  /// Of the worse of both rungs.
  static double unchanged_error(const Change& change, std::size_t part) {
    return std::max(error(plain_[change.from], part, change.frame),
                    error(plain_[change.to], part, change.frame));
  }

  static inline Parts input_;
  static inline std::array<std::vector<media::CodedAudio>, kRungs> rungs_;
  static inline std::array<Parts, kRungs> plain_;  ///< decoded
};

/// One half of the overlap comes from each rung, and so does its noise: where it varies, the sum
/// may be up to that of both rungs.
constexpr double kMaxExcess = 2;

TEST_F(AacSwitchTest, NoChangeIsHeard) {
  std::minstd_rand random{7};
  std::uniform_int_distribution<std::size_t> rung{0, kRungs - 1};
  AudioChoice choice;
  std::vector<std::size_t> taken;
  std::vector<Change> changes;
  std::size_t wanted = 0;
  for (std::size_t n = 0; n < rungs_[0].size(); ++n) {
    if (n > 10 && random() % 4 == 0) wanted = rung(random);
    media::AudioFrame frame;
    for (std::size_t i = 0; i < kRungs; ++i) frame.rungs[i] = rungs_[i][n];
    taken.push_back(choice.take(frame, wanted).value());
    if (n > 0 && taken[n] != taken[n - 1]) changes.push_back({n, taken[n - 1], taken[n]});
  }
  ASSERT_GT(changes.size(), 50U);
  const auto output = decode(taken);
  for (const std::size_t part : {0, 1}) {
    double sum = 0;
    double unchanged = 0;
    for (const auto& change : changes) {
      const auto now = error(output, part, change.frame);
      EXPECT_LT(now, kMaxExcess * unchanged_error(change, part))
          << change.from << " to " << change.to << " at frame " << change.frame;
      sum += now;
      unchanged += unchanged_error(change, part);
    }
    EXPECT_LE(sum, unchanged);
  }
}

constexpr std::pair<std::size_t, std::size_t> kPairs[]{{0, 1}, {1, 0}, {0, 2},
                                                       {2, 0}, {1, 2}, {2, 1}};

TEST_F(AacSwitchTest, AChangeBetweenDifferentWindowsWouldBeHeard) {
  int heard = 0;
  for (std::size_t n = 20; n < rungs_[0].size(); ++n) {
    for (const auto& [from, to] : kPairs) {
      const Change change{n, from, to};
      if (rungs_[to][n].follows(rungs_[from][n - 1].ends)) continue;
      const auto output = decode({from, from, to}, n - 2);
      heard += error(output, 0, n) > 2 * kMaxExcess * unchanged_error(change, 0);
    }
  }
  EXPECT_GE(heard, 10);
}

}  // namespace
}  // namespace transcoder
