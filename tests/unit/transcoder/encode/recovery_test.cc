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

/// Pictures of 30 per second through encoder and decoder; some are lost on the way.
class RecoveryTest : public ::testing::Test {
 protected:
  void open(const EncoderSettings& settings = {}) {
    encoder_ = open_x264(settings, {.width = 320, .height = 180}, 30, base::BitRate::kbps(500));
  }

  EncodedFrame encode(bool keyframe = false) {
    source_ = pictures_.next(base::from_seconds(static_cast<double>(pictures_encoded_++) / 30));
    auto picture = encoder_->encode(*source_, keyframe);
    if (!picture) throw std::runtime_error{picture.error()};
    return *picture;
  }

  /// Of the picture encoded last, as it is shown (PSNR of Y, dB); 0: nothing is.
  double quality(const EncodedFrame& picture) {
    const auto shown = decoder_.decode(picture, *source_);
    return shown ? shown->psnr.y : 0;
  }

  /// Qualities of the next pictures, all of which arrive.
  std::vector<double> arrive(int count) {
    std::vector<double> qualities;
    for (int i = 0; i < count; ++i) {
      const auto picture = encode();
      qualities.push_back(quality(picture));
    }
    return qualities;
  }

  /// The first of the next pictures' numbers; none arrives.
  std::uint64_t lose(int count) {
    const auto first = pictures_encoded_;
    for (int i = 0; i < count; ++i) encode();
    return first;
  }

  std::uint64_t pictures_encoded_ = 0;
  test::Pictures pictures_{test::Content::kMoving, 320, 180};
  media::FramePtr source_;
  std::unique_ptr<Encoder> encoder_;
  test::PictureDecoder decoder_{VideoCodec::kH264};
};

/// Good: 36 dB. A picture that refers to another one than it should have has 20.
constexpr double kGood = 30;

TEST_F(RecoveryTest, PictureIsBrokenWhereNothingMends) {
  open();
  arrive(20);
  lose(3);
  EXPECT_LT(arrive(1).front(), kGood);
}

class RecoveryGapTest : public RecoveryTest,
                        public ::testing::WithParamInterface<std::tuple<int, int, const char*>> {};

// Gaps over and beside each multiple of 16, where x264's own frame_num wraps.
TEST_P(RecoveryGapTest, NothingIsBrokenAndEachPictureComesOutAtOnce) {
  const auto [before, lost, preset] = GetParam();
  open({.preset = preset});
  EXPECT_THAT(arrive(before).back(), Ge(kGood));
  const auto first = lose(lost);
  ASSERT_TRUE(encoder_->recover(first));
  const auto mending = encode();
  EXPECT_EQ(mending.recovers_from, first);
  EXPECT_FALSE(mending.keyframe);
  EXPECT_THAT(quality(mending), Ge(kGood));
  EXPECT_THAT(arrive(20), Each(Ge(kGood)));
}

INSTANTIATE_TEST_SUITE_P(Gaps, RecoveryGapTest,
                         ::testing::Combine(::testing::Values(5, 12, 15, 16, 30),
                                            ::testing::Values(1, 4, 15),
                                            ::testing::Values("veryfast")));
// Without CABAC; with several reference pictures.
INSTANTIATE_TEST_SUITE_P(Presets, RecoveryGapTest,
                         ::testing::Combine(::testing::Values(12), ::testing::Values(6),
                                            ::testing::Values("ultrafast", "slow")));

TEST_F(RecoveryTest, OnlyTheNextPictureSaysThatItMends) {
  open();
  arrive(5);
  ASSERT_TRUE(encoder_->recover(lose(2)));
  EXPECT_TRUE(encode().recovers_from);
  EXPECT_FALSE(encode().recovers_from);
}

TEST_F(RecoveryTest, OneWhoLostNothingSeesNoDifference) {
  open();
  arrive(20);
  ASSERT_TRUE(encoder_->recover(17));
  EXPECT_THAT(arrive(20), Each(Ge(kGood)));
}

TEST_F(RecoveryTest, WorksForSlices) {
  open({.threads = 2});
  arrive(14);
  ASSERT_TRUE(encoder_->recover(lose(4)));
  EXPECT_THAT(arrive(20), Each(Ge(kGood)));
}

TEST_F(RecoveryTest, RefusesWhatIsMoreThanAllIsKept) {
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
