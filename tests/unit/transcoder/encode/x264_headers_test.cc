#include <gtest/gtest.h>

#include "pictures.h"
#include "transcoder/encode/x264_encoder.h"
#include "transcoder/gst/handle.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace transcoder {
namespace {

void free_context(AVCodecContext* context) { avcodec_free_context(&context); }
void free_packet(AVPacket* packet) { av_packet_free(&packet); }
void free_frame(AVFrame* frame) { av_frame_free(&frame); }

/// What a decoder learns from a stream's first picture.
struct Headers {
  AVRational sar;
  AVColorPrimaries primaries;
  AVColorTransferCharacteristic transfer;
  AVColorSpace matrix;
  AVColorRange range;
  int level;
  int references;
};

Headers headers_of(const media::PictureFormat& format, const EncoderSettings& settings = {}) {
  auto frame = *test::Pictures{test::Content::kStatic, format.width, format.height}.next({});
  frame.format = format;
  const auto encoder = open_x264(settings, format, 30, base::BitRate::mbps(2));
  const auto picture = *encoder->encode(frame, true);
  const auto* const codec = avcodec_find_decoder(AV_CODEC_ID_H264);
  const Handle<AVCodecContext, free_context> context{avcodec_alloc_context3(codec)};
  const Handle<AVPacket, free_packet> packet{av_packet_alloc()};
  const Handle<AVFrame, free_frame> decoded{av_frame_alloc()};
  av_new_packet(packet.get(), static_cast<int>(picture.bytes.size()));
  std::copy(picture.bytes.begin(), picture.bytes.end(), packet->data);
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
          context->refs};
}

TEST(X264HeadersTest, SayTheSourcesShapeAndColours) {
  const auto headers = headers_of(
      {.width = 720, .height = 576, .sar_num = 16, .sar_den = 11, .colour = {5, 6, 5, false}});
  EXPECT_EQ(av_cmp_q(headers.sar, AVRational{16, 11}), 0);
  EXPECT_EQ(headers.primaries, AVCOL_PRI_BT470BG);
  EXPECT_EQ(headers.transfer, AVCOL_TRC_SMPTE170M);
  EXPECT_EQ(headers.matrix, AVCOL_SPC_BT470BG);
  EXPECT_EQ(headers.range, AVCOL_RANGE_MPEG);
}

TEST(X264HeadersTest, SayThatTheRangeIsFull) {
  media::PictureFormat format{.width = 320, .height = 180};
  format.colour.full_range = true;
  EXPECT_EQ(headers_of(format).range, AVCOL_RANGE_JPEG);
}

TEST(X264HeadersTest, WantNoMoreMemoryThanTheirLevelHas) {
  EncoderSettings settings;
  settings.preset = "slow";
  const auto headers = headers_of({.width = 1920, .height = 1080}, settings);
  EXPECT_EQ(headers.level, 40);
  EXPECT_LE(headers.references, 4);  // 32768 macroblocks of 8160 each, H.264 table A-1
}

}  // namespace
}  // namespace transcoder
