#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "picture_decoder.h"
#include "pictures.h"
#include "transcoder/encode/x264_encoder.h"

namespace transcoder {
namespace {

using ::testing::Each;
using ::testing::Ge;

/// Passes 30 frames/s through encoder and decoder and loses some on the way.
class RecoveryTest : public ::testing::Test {
 protected:
  void open(const EncoderSettings& settings = {}) {
    encoder_ = open_x264(settings, {.width = 320, .height = 180}, 30, base::BitRate::kbps(500));
  }

  EncodedFrame encode(bool keyframe = false) {
    source_ = pictures_.next(base::from_seconds(static_cast<double>(frames_++) / 30));
    auto frame = encoder_->encode(*source_, keyframe);
    if (!frame) throw std::runtime_error{frame.error()};
    return *frame;
  }

  /// Decodes the newest frame. Returns the PSNR of Y in dB, 0 if the decoder shows nothing.
  double quality(const EncodedFrame& frame) {
    const auto shown = decoder_.decode(frame, *source_);
    return shown ? shown->psnr.y : 0;
  }

  /// Encodes `count` frames, which all arrive, and returns their qualities.
  std::vector<double> arrive(int count) {
    std::vector<double> qualities;
    for (int i = 0; i < count; ++i) {
      const auto frame = encode();
      qualities.push_back(quality(frame));
    }
    return qualities;
  }

  /// Encodes `count` frames, none of which arrives, and returns the number of the first.
  std::uint64_t lose(int count) {
    const auto first = frames_;
    for (int i = 0; i < count; ++i) encode();
    return first;
  }

  std::uint64_t frames_ = 0;
  test::Pictures pictures_{test::Content::kMoving, 320, 180};
  media::FramePtr source_;
  std::unique_ptr<Encoder> encoder_;
  test::PictureDecoder decoder_{VideoCodec::kH264};
};

/// Undamaged frames have 36 dB; frames with a wrong reference have 20 dB.
constexpr double kMinGoodPsnr = 30;

TEST_F(RecoveryTest, WithoutRecoveryAFrameAfterLossIsBroken) {
  open();
  arrive(20);
  lose(3);
  EXPECT_LT(arrive(1).front(), kMinGoodPsnr);
}

class RecoveryGapTest : public RecoveryTest,
                        public ::testing::WithParamInterface<std::tuple<int, int, const char*>> {};

// Gaps across and next to multiples of 16, where x264's own frame_num wraps.
TEST_P(RecoveryGapTest, RecoveryFrameAndItsSuccessorsDecodeAtOnce) {
  const auto [before, lost, preset] = GetParam();
  open({.preset = preset});
  EXPECT_THAT(arrive(before).back(), Ge(kMinGoodPsnr));
  const auto first = lose(lost);
  ASSERT_TRUE(encoder_->recover(first));
  const auto recovery = encode();
  EXPECT_EQ(recovery.recovers_from, first);
  EXPECT_FALSE(recovery.keyframe);
  EXPECT_THAT(quality(recovery), Ge(kMinGoodPsnr));
  EXPECT_THAT(arrive(20), Each(Ge(kMinGoodPsnr)));
}

INSTANTIATE_TEST_SUITE_P(Gaps, RecoveryGapTest,
                         ::testing::Combine(::testing::Values(5, 12, 15, 16, 30),
                                            ::testing::Values(1, 4, 15),
                                            ::testing::Values("veryfast")));
// "ultrafast" has no CABAC; "slow" has several reference frames.
INSTANTIATE_TEST_SUITE_P(Presets, RecoveryGapTest,
                         ::testing::Combine(::testing::Values(12), ::testing::Values(6),
                                            ::testing::Values("ultrafast", "slow")));

TEST_F(RecoveryTest, OnlyTheNextFrameIsARecoveryFrame) {
  open();
  arrive(5);
  ASSERT_TRUE(encoder_->recover(lose(2)));
  EXPECT_TRUE(encode().recovers_from);
  EXPECT_FALSE(encode().recovers_from);
}

TEST_F(RecoveryTest, AViewerWithoutLossSeesNoDifference) {
  open();
  arrive(20);
  ASSERT_TRUE(encoder_->recover(17));
  EXPECT_THAT(arrive(20), Each(Ge(kMinGoodPsnr)));
}

TEST_F(RecoveryTest, RecoversWithSlices) {
  open({.threads = 2});
  arrive(14);
  ASSERT_TRUE(encoder_->recover(lose(4)));
  EXPECT_THAT(arrive(20), Each(Ge(kMinGoodPsnr)));
}

TEST_F(RecoveryTest, RefusesAGapLongerThanTheReferences) {
  open();
  arrive(20);
  EXPECT_FALSE(encoder_->recover(lose(16)));
  EXPECT_FALSE(encode().recovers_from);
}

TEST_F(RecoveryTest, RefusesAGapOverAKeyframe) {
  open();
  arrive(5);
  encode(true);
  EXPECT_FALSE(encoder_->recover(4));
}

}  // namespace
}  // namespace transcoder
