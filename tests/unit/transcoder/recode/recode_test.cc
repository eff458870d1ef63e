#include "transcoder/recode/recode.h"

#include <gtest/gtest.h>

#include <optional>

#include "picture_decoder.h"
#include "pictures.h"
#include "transcoder/encode/open_encoder.h"

namespace transcoder {
namespace {

constexpr int kFrameCount = 60;
constexpr double kFrameRate = 30;
constexpr auto kInterval = base::from_seconds(1 / kFrameRate);

/// Two seconds of moving pictures at 2 Mbit/s.
class RecodeTest : public testing::Test {
 protected:
  RecodeTest() {
    test::Pictures pictures{test::Content::kMoving, 480, 270};
    std::unique_ptr<Encoder> encoder;
    for (int i = 0; i < kFrameCount; ++i) {
      frames_.push_back(pictures.next((1000 + i) * kInterval));
      const auto& frame = *frames_.back();
      if (!encoder) {
        encoder = open_encoder(settings_, frame.format, kFrameRate, base::BitRate::mbps(2));
      }
      auto picture = encoder->encode(frame, i == 0);
      media::Packet packet;
      packet.keyframe = picture->keyframe;
      packet.number = frame.number;
      packet.pts = frame.pts;
      packet.duration = kInterval;
      packet.unit = std::move(picture->bytes);
      source_.push_back(std::make_shared<const media::Packet>(std::move(packet)));
    }
  }

  std::vector<media::PacketPtr> recoded(const Recoding& wanted) {
    auto result = recode(source_, settings_, wanted);
    EXPECT_TRUE(result) << result.error();
    return std::move(*result);
  }

  const EncoderSettings settings_;
  std::vector<media::FramePtr> frames_;
  std::vector<media::PacketPtr> source_;
};

TEST_F(RecodeTest, KeepsNumbersAndTimes) {
  const auto packets = recoded({base::BitRate::kbps(500), {480, 270}, kFrameRate});
  ASSERT_EQ(packets.size(), source_.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    EXPECT_EQ(packets[i]->number, source_[i]->number);
    EXPECT_EQ(packets[i]->pts, source_[i]->pts);
    EXPECT_EQ(packets[i]->duration, source_[i]->duration);
    EXPECT_EQ(packets[i]->keyframe, i == 0);
  }
  EXPECT_TRUE(packets[0]->headers);
}

TEST_F(RecodeTest, KeepsTheRequestedRate) {
  for (const double kbps : {300.0, 700.0, 1200.0}) {
    double bits = 0;
    for (const auto& packet : recoded({base::BitRate::kbps(kbps), {480, 270}, kFrameRate})) {
      bits += 8.0 * static_cast<double>(packet->unit.size());
    }
    const double rate = bits / (kFrameCount * base::seconds(kInterval)) / 1e3;
    EXPECT_LE(rate, 1.05 * kbps);
    EXPECT_GE(rate, 0.8 * kbps);
  }
}

TEST_F(RecodeTest, ShowsTheSamePictures) {
  test::PictureDecoder decoder{VideoCodec::kH264};
  const auto packets = recoded({base::BitRate::kbps(1500), {480, 270}, kFrameRate});
  for (std::size_t i = 0; i < packets.size(); ++i) {
    EncodedFrame picture;
    picture.bytes = packets[i]->unit;
    const auto shown = decoder.decode(picture, *frames_[i]);
    ASSERT_TRUE(shown);
    EXPECT_GT(shown->psnr.y, 25) << i;
  }
}

TEST_F(RecodeTest, IsNeverLargerThanTheSource) {
  const auto small = recoded({base::BitRate::kbps(300), {240, 134}, kFrameRate});
  EXPECT_EQ(small[0]->headers->format.width, 240);
  const auto large = recoded({base::BitRate::kbps(300), {960, 540}, kFrameRate});
  EXPECT_EQ(large[0]->headers->format.width, 480);
}

TEST_F(RecodeTest, ReportsASegmentThatCannotBeDecoded) {
  source_.erase(source_.begin());
  EXPECT_FALSE(recode(source_, settings_, {base::BitRate::kbps(300), {480, 270}, kFrameRate}));
}

}  // namespace
}  // namespace transcoder
