#include "transcoder/encode/x264_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "coder.h"
#include "picture_decoder.h"

namespace transcoder {
namespace {

using test::Coder;
using test::Content;
using test::kInterval;

/// The NAL unit types in stream order.
std::vector<int> nal_types(const std::vector<std::uint8_t>& bytes) {
  std::vector<int> types;
  for (std::size_t i = 0; i + 3 < bytes.size(); ++i) {
    if (bytes[i] == 0 && bytes[i + 1] == 0 && bytes[i + 2] == 1) types.push_back(bytes[i + 3] & 31);
  }
  return types;
}

constexpr int kSlice = 1, kIdr = 5, kSps = 7, kPps = 8, kAud = 9;

class RetargetTest : public ::testing::TestWithParam<std::tuple<Content, double>> {};

TEST_P(RetargetTest, TheNextFrameObeys) {
  const auto [content, factor] = GetParam();
  const auto before = factor > 1 ? base::BitRate::kbps(400) : base::BitRate::kbps(2000);
  const auto after = before * factor;
  Coder coder{content, before};
  coder.encode_many(kInterval, 25);
  coder.retarget(after);
  const auto first = coder.encode(kInterval);
  EXPECT_LE(first.bytes.size(), first.target.bytes());
  EXPECT_EQ(first.target, after * kInterval);
  EXPECT_FALSE(first.keyframe);
  coder.encode_many(kInterval, 10);
  EXPECT_LE(coder.excess_ms(25, 35, after), 40);
}

INSTANTIATE_TEST_SUITE_P(ContentsAndFactors, RetargetTest,
                         ::testing::Combine(::testing::ValuesIn(test::kContents),
                                            ::testing::Values(0.2, 0.55, 5.0)),
                         [](const auto& instance) {
                           return std::string{name(std::get<0>(instance.param))} + "_" +
                                  std::to_string(
                                      static_cast<int>(100 * std::get<1>(instance.param)));
                         });

class FrameRateTest : public ::testing::TestWithParam<double> {};

TEST_P(FrameRateTest, KeepsTheRateAtAnyRealFrameRate) {
  const auto rate = base::BitRate::kbps(500);
  Coder coder{Content::kMoving, rate};
  coder.encode_many(base::from_seconds(1 / GetParam()), 50);
  EXPECT_GE(coder.share(10, rate), 0.9);
  EXPECT_LE(coder.share(10, rate), 1.05);
  EXPECT_LE(coder.excess_ms(10, coder.sizes.size(), rate), 40);
}

INSTANTIATE_TEST_SUITE_P(FrameRates, FrameRateTest, ::testing::Values(10, 15, 25, 30, 60));

TEST(X264EncoderTest, KeepsTheRateAtIrregularIntervals) {
  using std::chrono::milliseconds;
  const auto rate = base::BitRate::kbps(1000);
  Coder coder{Content::kMoving, rate};
  for (int i = 0; i < 10; ++i) {
    for (const int ms : {10, 60, 33, 20, 43, 34}) coder.encode(milliseconds{ms});
  }
  EXPECT_GE(coder.share(12, rate), 0.9);
  EXPECT_LE(coder.share(12, rate), 1.05);
  EXPECT_LE(coder.excess_ms(12, coder.sizes.size(), rate), 60);
}

TEST(X264EncoderTest, UsesTheWholeRateForNoise) {
  const auto rate = base::BitRate::kbps(500);
  Coder coder{Content::kNoise, rate};
  coder.encode_many(kInterval, 60);
  EXPECT_GE(coder.share(20, rate), 0.9);
}

TEST(X264EncoderTest, SpendsNothingOnceAStillPictureIsGoodEnough) {
  const auto rate = base::BitRate::kbps(4000);
  Coder coder{Content::kStatic, rate};
  coder.encode_many(kInterval, 60);
  EXPECT_LE(coder.share(50, rate), 0.1);
}

TEST(X264EncoderTest, OnlyRequestedFramesAreKeyframes) {
  Coder coder{Content::kCuts, base::BitRate::kbps(1000)};
  std::vector<std::size_t> keyframes;
  for (std::size_t i = 0; i < 70; ++i) {
    if (coder.encode(kInterval, i == 40).keyframe) keyframes.push_back(i);
  }
  EXPECT_THAT(keyframes, ::testing::ElementsAre(0, 40));
}

TEST(X264EncoderTest, AKeyframeCarriesItsParameterSets) {
  Coder coder{Content::kMoving, base::BitRate::kbps(1000)};
  coder.encode(kInterval);
  const auto frame = coder.encode(kInterval, true);
  EXPECT_THAT(nal_types(frame.bytes), ::testing::ElementsAre(kAud, kSps, kPps, kIdr));
}

TEST(X264EncoderTest, AnOrdinaryFrameIsADelimiterAndOneSlice) {
  Coder coder{Content::kMoving, base::BitRate::kbps(1000)};
  coder.encode(kInterval);
  EXPECT_THAT(nal_types(coder.encode(kInterval).bytes), ::testing::ElementsAre(kAud, kSlice));
}

/// The frames of the same pictures, with these efforts one after the other.
std::vector<EncodedFrame> with_efforts(const std::vector<std::size_t>& efforts) {
  EncoderSettings settings;
  settings.preset = kAutoPreset;
  Coder coder{Content::kMoving, base::BitRate::kbps(1000), settings};
  test::PictureDecoder decoder{VideoCodec::kH264};
  std::vector<EncodedFrame> frames;
  for (const auto effort : efforts) {
    coder.set_effort(effort);
    for (int i = 0; i < 5; ++i) {
      frames.push_back(coder.encode(kInterval));
      EXPECT_TRUE(decoder.decode(frames.back(), coder.source()));
    }
  }
  return frames;
}

TEST(X264EncoderTest, EachEffortIsAnotherEncodingWithoutAKeyframe) {
  const auto steady = with_efforts({kFirstEffort, kFirstEffort});
  for (std::size_t effort = 0; effort < kAutoPresets.size(); ++effort) {
    const auto changed = with_efforts({kFirstEffort, effort});
    EXPECT_EQ(changed[4].bytes, steady[4].bytes);
    EXPECT_EQ(changed.back().bytes == steady.back().bytes, effort == kFirstEffort);
    EXPECT_FALSE(changed[5].keyframe);
  }
}

TEST(X264EncoderTest, APresetThatWasChosenHasNoEffort) {
  Coder with{Content::kMoving, base::BitRate::kbps(1000)};
  Coder without{Content::kMoving, base::BitRate::kbps(1000)};
  with.set_effort(3);
  EXPECT_EQ(with.encode(kInterval).bytes, without.encode(kInterval).bytes);
  EXPECT_EQ(with.encode(kInterval).bytes, without.encode(kInterval).bytes);
}

TEST(X264EncoderTest, ThreadsAddNoDelay) {
  EncoderSettings settings;
  settings.threads = 2;
  Coder coder{Content::kMoving, base::BitRate::kbps(1000), settings};
  EXPECT_TRUE(coder.encode(kInterval).keyframe);
  EXPECT_THAT(nal_types(coder.encode(kInterval).bytes),
              ::testing::ElementsAre(kAud, kSlice, kSlice));
}

TEST(X264EncoderTest, MeasuresPsnrOnRequest) {
  EncoderSettings settings;
  settings.psnr = true;
  Coder coder{Content::kMoving, base::BitRate::kbps(1000), settings};
  coder.encode(kInterval);
  const auto psnr = coder.encode(kInterval).psnr;
  ASSERT_TRUE(psnr);
  EXPECT_GT(psnr->y, 20);
  EXPECT_LT(psnr->y, 60);
  EXPECT_GT(psnr->u, 20);
  EXPECT_GT(psnr->v, 20);
}

TEST(X264EncoderTest, MeasuresNoPsnrByDefault) {
  Coder coder{Content::kMoving, base::BitRate::kbps(1000)};
  EXPECT_FALSE(coder.encode(kInterval).psnr);
}

TEST(X264EncoderTest, RefusesAnUnknownPreset) {
  EncoderSettings settings;
  settings.preset = "speedy";
  EXPECT_THROW(open_x264(settings, {.width = 480, .height = 270}, 30, base::BitRate::kbps(1000)),
               std::runtime_error);
}

TEST(X264EncoderTest, SurvivesARateTooLowForAnyFrame) {
  Coder coder{Content::kNoise, base::BitRate{1}};
  coder.encode_many(kInterval, 5);
  EXPECT_EQ(coder.sizes.size(), 5U);
}

}  // namespace
}  // namespace transcoder
