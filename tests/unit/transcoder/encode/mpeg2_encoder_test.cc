#include "transcoder/encode/mpeg2_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "coder.h"
#include "picture_decoder.h"

namespace transcoder {
namespace {

using test::Coder;
using test::Content;
using test::kInterval;
using test::PictureDecoder;
using ::testing::ElementsAre;

const EncoderSettings kMpeg2{.codec = VideoCodec::kMpeg2, .psnr = true};

struct Stream {
  int width;
  int height;
  base::BitRate rate;
};
constexpr Stream kSmall{.width = 176, .height = 120, .rate = base::BitRate::mbps(2)};
constexpr Stream kLarge{.width = 640, .height = 360, .rate = base::BitRate::kbps(1500)};

Coder coder_of(const Stream& stream, Content content, EncoderSettings settings = kMpeg2) {
  settings.codec = VideoCodec::kMpeg2;
  return {content, stream.rate, settings, stream.width, stream.height};
}

/// The start codes up to the first slice.
std::vector<int> start_codes(const std::vector<std::uint8_t>& bytes) {
  std::vector<int> codes;
  for (std::size_t i = 0; i + 3 < bytes.size(); ++i) {
    if (bytes[i] != 0 || bytes[i + 1] != 0 || bytes[i + 2] != 1) continue;
    codes.push_back(bytes[i + 3]);
    if (codes.back() == 1) break;
  }
  return codes;
}

// Start codes (ISO/IEC 13818-2, table 6-1).
constexpr int kPicture = 0x00, kSlice = 0x01, kSequence = 0xb3, kExtension = 0xb5, kGroup = 0xb8;

class Mpeg2RetargetTest : public ::testing::TestWithParam<std::tuple<Stream, Content, double>> {};

TEST_P(Mpeg2RetargetTest, TheNextFrameObeys) {
  auto [stream, content, factor] = GetParam();
  if (factor > 1) stream.rate = stream.rate * 0.2;
  const auto after = stream.rate * factor;
  auto coder = coder_of(stream, content);
  coder.encode_many(kInterval, 25);
  coder.retarget(after);
  const auto first = coder.encode(kInterval);
  EXPECT_LE(first.bytes.size(), first.target.bytes());
  EXPECT_EQ(first.target, after * kInterval);
  EXPECT_FALSE(first.keyframe);
  coder.encode_many(kInterval, 10);
  EXPECT_LE(coder.excess_ms(25, 35, after), 40);
}

std::string name_of(const ::testing::TestParamInfo<Mpeg2RetargetTest::ParamType>& instance) {
  const auto& [stream, content, factor] = instance.param;
  return std::to_string(stream.width) + "_" + std::string{name(content)} + "_" +
         std::to_string(static_cast<int>(100 * factor));
}

INSTANTIATE_TEST_SUITE_P(Small, Mpeg2RetargetTest,
                         ::testing::Combine(::testing::Values(kSmall),
                                            ::testing::ValuesIn(test::kContents),
                                            ::testing::Values(0.2, 0.55, 5.0)),
                         name_of);
// Without noise and cuts: at this size they need more than 300 kbit/s even with the coarsest
// quantiser.
INSTANTIATE_TEST_SUITE_P(Large, Mpeg2RetargetTest,
                         ::testing::Combine(::testing::Values(kLarge),
                                            ::testing::Values(Content::kStatic, Content::kMoving),
                                            ::testing::Values(0.2, 0.55, 5.0)),
                         name_of);

class Mpeg2FrameRateTest : public ::testing::TestWithParam<double> {};

TEST_P(Mpeg2FrameRateTest, KeepsTheRateAtAnyRealFrameRate) {
  auto coder = coder_of(kLarge, Content::kMoving);
  coder.encode_many(base::from_seconds(1 / GetParam()), 60);
  EXPECT_GE(coder.share(20, kLarge.rate), 0.75);  // the next finer quantiser takes half more bits
  EXPECT_LE(coder.share(20, kLarge.rate), 1.05);
  EXPECT_LE(coder.excess_ms(20, coder.sizes.size(), kLarge.rate), 40);
}

INSTANTIATE_TEST_SUITE_P(FrameRates, Mpeg2FrameRateTest, ::testing::Values(10, 15, 25, 30, 60));

class Mpeg2DecodeTest : public ::testing::TestWithParam<std::tuple<Content, double, int>> {};

// At the lowest rate the quantiser is the coarsest.
TEST_P(Mpeg2DecodeTest, EachFrameDecodesAtOnceWithTheReportedPsnr) {
  const auto [content, kbps, threads] = GetParam();
  auto settings = kMpeg2;
  settings.threads = threads;
  const Stream stream{.width = 176, .height = 120, .rate = base::BitRate::kbps(kbps)};
  auto coder = coder_of(stream, content, settings);
  PictureDecoder decoder{VideoCodec::kMpeg2};
  for (int i = 0; i < 40; ++i) {
    const auto frame = coder.encode(kInterval, i == 20);
    const auto shown = decoder.decode(frame, coder.source());
    ASSERT_TRUE(shown && frame.psnr) << i;
    EXPECT_EQ(shown->width, 176);
    EXPECT_EQ(shown->height, 120);
    EXPECT_NEAR(shown->psnr.y, frame.psnr->y, 1e-4) << i;
    EXPECT_NEAR(shown->psnr.u, frame.psnr->u, 1e-4) << i;
    EXPECT_NEAR(shown->psnr.v, frame.psnr->v, 1e-4) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Streams, Mpeg2DecodeTest,
                         ::testing::Combine(::testing::ValuesIn(test::kContents),
                                            ::testing::Values(20, 2000), ::testing::Values(1, 3)));

TEST(Mpeg2EncoderTest, OnlyRequestedFramesAreKeyframes) {
  auto coder = coder_of(kSmall, Content::kCuts);
  std::vector<std::size_t> keyframes;
  for (std::size_t i = 0; i < 70; ++i) {
    if (coder.encode(kInterval, i == 40).keyframe) keyframes.push_back(i);
  }
  EXPECT_THAT(keyframes, ElementsAre(0, 40));
}

TEST(Mpeg2EncoderTest, NoFrameIsLargerThanTheBuffer) {
  for (const auto content : {Content::kStatic, Content::kMoving, Content::kCuts}) {
    auto coder = coder_of(kLarge, content);
    for (int i = 0; i < 35; ++i) coder.encode(kInterval, i % 25 == 0);
    const auto buffer = kLarge.rate * kMpeg2.vbv;
    EXPECT_LE(std::ranges::max(coder.sizes), static_cast<double>(buffer.bytes())) << name(content);
  }
}

TEST(Mpeg2EncoderTest, AKeyframeBeginsASequenceAndAGroupOfPictures) {
  auto coder = coder_of(kSmall, Content::kMoving);
  coder.encode(kInterval);
  EXPECT_THAT(start_codes(coder.encode(kInterval, true).bytes),
              ElementsAre(kSequence, kExtension, kGroup, kPicture, kExtension, kSlice));
  EXPECT_THAT(start_codes(coder.encode(kInterval).bytes),
              ElementsAre(kPicture, kExtension, kSlice));
}

TEST(Mpeg2EncoderTest, OnlyAKeyframeRecovers) {
  auto coder = coder_of(kSmall, Content::kMoving);
  coder.encode_many(kInterval, 20);
  EXPECT_FALSE(coder.recover(19));
  EXPECT_FALSE(coder.encode(kInterval).recovers_from);
  PictureDecoder decoder{VideoCodec::kMpeg2};  // has not seen the earlier frames
  const auto keyframe = coder.encode(kInterval, true);
  EXPECT_NEAR(decoder.decode(keyframe, coder.source())->psnr.y, keyframe.psnr->y, 1e-4);
  const auto next = coder.encode(kInterval);
  EXPECT_NEAR(decoder.decode(next, coder.source())->psnr.y, next.psnr->y, 1e-4);
}

TEST(Mpeg2EncoderTest, QualityFollowsCrfIfTheRateAllows) {
  std::vector<double> qualities;
  std::vector<double> sizes;
  for (const double crf : {8, 18, 28}) {
    auto settings = kMpeg2;
    settings.crf = crf;
    auto coder = coder_of({176, 120, base::BitRate::mbps(20)}, Content::kMoving, settings);
    coder.encode_many(kInterval, 20);
    const auto frame = coder.encode(kInterval);
    qualities.push_back(frame.psnr->y);
    sizes.push_back(static_cast<double>(frame.bytes.size()));
  }
  EXPECT_GT(qualities[0], qualities[1] + 3);
  EXPECT_GT(qualities[1], qualities[2] + 3);
  EXPECT_GT(sizes[0], sizes[1] * 2);
  EXPECT_GT(sizes[1], sizes[2] * 2);
}

TEST(Mpeg2EncoderTest, QualityAtTheDefaultCrfIsCloseToX264s) {
  for (const auto content : test::kContents) {
    std::vector<double> qualities;
    for (const auto codec : {VideoCodec::kH264, VideoCodec::kMpeg2}) {
      Coder coder{content, base::BitRate::mbps(20), {.codec = codec, .psnr = true}, 176, 120};
      coder.encode(kInterval);
      coder.encode_many(kInterval, 20);
      qualities.push_back(std::min(coder.encode(kInterval).psnr->y, 45.F));  // more is invisible
    }
    EXPECT_GT(qualities[1], qualities[0] - 2) << name(content);
  }
}

TEST(Mpeg2EncoderTest, SpendsNothingOnceAStillPictureIsGoodEnough) {
  auto coder = coder_of(kSmall, Content::kStatic);
  coder.encode_many(kInterval, 60);
  EXPECT_LE(coder.share(50, kSmall.rate), 0.02);
}

TEST(Mpeg2EncoderTest, MeasuresNoPsnrByDefault) {
  EXPECT_FALSE(coder_of(kSmall, Content::kMoving, {}).encode(kInterval).psnr);
}

TEST(Mpeg2EncoderTest, SurvivesARateTooLowForAnyFrame) {
  auto coder = coder_of({176, 120, base::BitRate{1}}, Content::kNoise);
  coder.encode_many(kInterval, 5);
  EXPECT_EQ(coder.sizes.size(), 5U);
}

// The documentation gives these sizes for the lower end of the rate.
TEST(Mpeg2EncoderTest, SmallestFramesHaveTheDocumentedSize) {
  constexpr double kMacroblocks = 11 * 8;
  auto coder = coder_of({176, 120, base::BitRate{1}}, Content::kMoving);
  coder.encode_many(kInterval, 10);
  EXPECT_LE(coder.sizes[0] * 8, 60 * kMacroblocks);
  EXPECT_LE(coder.sizes[9] * 8, 20 * kMacroblocks);
}

PictureDecoder::Headers headers_of(const media::PictureFormat& format, double frame_rate) {
  auto frame = *test::Pictures{Content::kStatic, format.width, format.height}.next({});
  frame.format = format;
  const auto encoder = open_mpeg2({}, format, frame_rate, base::BitRate::mbps(2));
  PictureDecoder decoder{VideoCodec::kMpeg2};
  decoder.decode(*encoder->encode(frame, true), frame);
  return decoder.headers();
}

TEST(Mpeg2HeadersTest, HaveTheNearestFrameRateAbove) {
  const media::PictureFormat format{.width = 176, .height = 120};
  for (const auto& [asked, said] : std::vector<std::pair<double, double>>{{7.5, 24000. / 1001},
                                                                          {24, 24},
                                                                          {25, 25},
                                                                          {25.01, 25},
                                                                          {29.97, 30000. / 1001},
                                                                          {30, 30},
                                                                          {31, 50},
                                                                          {59.94, 60000. / 1001},
                                                                          {60, 60},
                                                                          {120, 60}}) {
    EXPECT_DOUBLE_EQ(headers_of(format, asked).frame_rate, said) << asked;
  }
}

TEST(Mpeg2HeadersTest, HaveTheLowestLevelAndItsLimits) {
  const auto small = headers_of({.width = 176, .height = 120}, 30);
  EXPECT_EQ(small.level, 8);  // main
  EXPECT_EQ(small.rate, 15'000'000);
  EXPECT_EQ(small.buffer_bits, 112 * 16384);
  EXPECT_EQ(headers_of({.width = 640, .height = 360}, 60).level, 6);  // high 1440
  EXPECT_EQ(headers_of({.width = 1280, .height = 720}, 30).level, 6);
  const auto large = headers_of({.width = 1280, .height = 720}, 60);
  EXPECT_EQ(large.level, 4);  // high
  EXPECT_EQ(large.buffer_bits, 597 * 16384);
}

TEST(Mpeg2HeadersTest, HaveTheSourcesColours) {
  const auto colour =
      headers_of({.width = 720, .height = 576, .colour = {5, 6, 5, false}}, 25).colour;
  EXPECT_EQ(colour, (media::Colour{5, 6, 5, false}));
}

TEST(Mpeg2EncoderTest, RefusesUnsupportedSizes) {
  for (const auto& [width, height] : {std::pair{175, 120}, {176, 119}, {4096, 120}}) {
    EXPECT_THROW(
        try {
          open_mpeg2({}, {.width = width, .height = height}, 30, base::BitRate::mbps(1));
        } catch (const std::runtime_error& error) {
          EXPECT_EQ(error.what(), "MPEG-2 does not support a picture size of " +
                                      std::to_string(width) + "x" + std::to_string(height));
          throw;
        },
        std::runtime_error);
  }
}

TEST(Mpeg2EncoderTest, FullRangeIsConvertedToLimitedRange) {
  auto frame = *test::Pictures{Content::kStatic, 176, 120}.next({});
  const std::vector<std::uint8_t> white(static_cast<std::size_t>(frame.stride[0]) * 120, 255);
  frame.plane[0] = white.data();
  frame.format.colour.full_range = true;
  const auto encoder = open_mpeg2({}, frame.format, 30, base::BitRate::mbps(2));
  const auto picture = *encoder->encode(frame, true);
  const std::vector<std::uint8_t> limited(white.size(), 235);
  frame.plane[0] = limited.data();
  PictureDecoder decoder{VideoCodec::kMpeg2};
  EXPECT_GT(decoder.decode(picture, frame)->psnr.y, 45);
}

}  // namespace
}  // namespace transcoder
