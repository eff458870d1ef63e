#include <gtest/gtest.h>

#include "pictures.h"
#include "transcoder/encode/libav_handle.h"
#include "transcoder/encode/x264_encoder.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace transcoder {
namespace {

/// The values that a decoder reads from a stream's first frame.
struct Headers {
  AVRational sar;
  AVColorPrimaries primaries;
  AVColorTransferCharacteristic transfer;
  AVColorSpace matrix;
  AVColorRange range;
  int level;
  int references;
  AVRational frame_rate;  ///< 0/1 if the stream has none
};

Headers headers_of(const media::PictureFormat& format, const EncoderSettings& settings = {}) {
  auto picture = *test::Pictures{test::Content::kStatic, format.width, format.height}.next({});
  picture.format = format;
  const auto encoder = open_x264(settings, format, 30, base::BitRate::mbps(2));
  const auto frame = *encoder->encode(picture, true);
  const auto* const codec = avcodec_find_decoder(AV_CODEC_ID_H264);
  const LibavCodec context{avcodec_alloc_context3(codec)};
  const LibavPacket packet{av_packet_alloc()};
  const LibavFrame decoded{av_frame_alloc()};
  av_new_packet(packet.get(), static_cast<int>(frame.bytes.size()));
  std::copy(frame.bytes.begin(), frame.bytes.end(), packet->data);
  EXPECT_EQ(avcodec_open2(context.get(), codec, nullptr), 0);
  EXPECT_EQ(avcodec_send_packet(context.get(), packet.get()), 0);
  avcodec_send_packet(context.get(), nullptr);
  EXPECT_EQ(avcodec_receive_frame(context.get(), decoded.get()), 0);
  return {decoded->sample_aspect_ratio,
          decoded->color_primaries,
          decoded->color_trc,
          decoded->colorspace,
          decoded->color_range,
          context->level,
          context->refs,
          context->framerate};
}

TEST(X264HeadersTest, HaveTheSourcesShapeAndColours) {
  const auto headers = headers_of(
      {.width = 720, .height = 576, .sar_num = 16, .sar_den = 11, .colour = {5, 6, 5, false}});
  EXPECT_EQ(av_cmp_q(headers.sar, AVRational{16, 11}), 0);
  EXPECT_EQ(headers.primaries, AVCOL_PRI_BT470BG);
  EXPECT_EQ(headers.transfer, AVCOL_TRC_SMPTE170M);
  EXPECT_EQ(headers.matrix, AVCOL_SPC_BT470BG);
  EXPECT_EQ(headers.range, AVCOL_RANGE_MPEG);
}

TEST(X264HeadersTest, HaveTheSourcesFullRange) {
  media::PictureFormat format{.width = 320, .height = 180};
  format.colour.full_range = true;
  EXPECT_EQ(headers_of(format).range, AVCOL_RANGE_JPEG);
}

/// A source has a rate of its own, and frames are skipped at low bit rates.
TEST(X264HeadersTest, ClaimNoFrameRate) {
  for (const auto& format : {media::PictureFormat{.width = 320, .height = 180},
                             media::PictureFormat{.width = 322, .height = 182},
                             media::PictureFormat{.width = 720,
                             .height = 576,
                             .sar_num = 16,
                             .sar_den = 11,
                             .colour = {5, 6, 5, true}}}) {
    EXPECT_EQ(headers_of(format).frame_rate.num, 0);
  }
}

TEST(X264HeadersTest, NeedNoMoreMemoryThanTheirLevelAllows) {
  EncoderSettings settings;
  settings.preset = "slow";
  const auto headers = headers_of({.width = 1920, .height = 1080}, settings);
  EXPECT_EQ(headers.level, 40);
  EXPECT_LE(headers.references, 4);  // MaxDpbMbs 32768 / 8160 macroblocks (H.264, table A-1)
}

}  // namespace
}  // namespace transcoder
