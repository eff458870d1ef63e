#include "picture_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "transcoder/encode/libav_handle.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace transcoder::test {

namespace {

float plane_psnr(const AVFrame& decoded, const media::Frame& source, std::size_t plane) {
  const int width = source.format.width / (plane == 0 ? 1 : 2);
  const int height = source.format.height / (plane == 0 ? 1 : 2);
  double sum = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double difference = decoded.data[plane][y * decoded.linesize[plane] + x] -
                                source.plane[plane][y * source.stride[plane] + x];
      sum += difference * difference;
    }
  }
  return sum > 0 ? static_cast<float>(10 * std::log10(255. * 255 * width * height / sum)) : 100;
}

}  // namespace

class PictureDecoder::Impl {
 public:
  explicit Impl(VideoCodec codec)
      : codec_{avcodec_find_decoder(codec == VideoCodec::kMpeg2 ? AV_CODEC_ID_MPEG2VIDEO
                                                                : AV_CODEC_ID_H264)} {
    context_->err_recognition = AV_EF_EXPLODE | AV_EF_CRCCHECK | AV_EF_BITSTREAM;
    context_->thread_count = 1;
    if (avcodec_open2(context_.get(), codec_, nullptr) != 0) throw std::runtime_error{"no decoder"};
  }

  std::optional<Shown> decode(const EncodedFrame& frame, const media::Frame& source) {
    const LibavPacket packet{av_packet_alloc()};
    av_new_packet(packet.get(), static_cast<int>(frame.bytes.size()));
    std::ranges::copy(frame.bytes, packet->data);
    EXPECT_EQ(avcodec_send_packet(context_.get(), packet.get()), 0);
    if (avcodec_receive_frame(context_.get(), decoded_.get()) != 0) return {};
    EXPECT_EQ(decoded_->decode_error_flags, 0);
    return Shown{.width = decoded_->width,
                 .height = decoded_->height,
                 .psnr = {.y = plane_psnr(*decoded_, source, 0),
                          .u = plane_psnr(*decoded_, source, 1),
                          .v = plane_psnr(*decoded_, source, 2)}};
  }

  Headers headers() const {
    const auto rate = context_->framerate;
    Headers result{.profile = context_->profile,
                   .level = context_->level,
                   .frame_rate = rate.den == 0 ? 0 : av_q2d(rate),
                   .colour = {.primaries = context_->color_primaries,
                              .transfer = context_->color_trc,
                              .matrix = context_->colorspace,
                              .full_range = context_->color_range == AVCOL_RANGE_JPEG}};
    for (int i = 0; i < context_->nb_coded_side_data; ++i) {
      const auto& data = context_->coded_side_data[i];
      if (data.type != AV_PKT_DATA_CPB_PROPERTIES) continue;
      const auto* buffer = reinterpret_cast<const AVCPBProperties*>(data.data);
      result.buffer_bits = buffer->buffer_size;
      result.rate = buffer->max_bitrate;
    }
    return result;
  }

 private:
  const AVCodec* const codec_;
  const LibavCodec context_{avcodec_alloc_context3(codec_)};
  const LibavFrame decoded_{av_frame_alloc()};
};

PictureDecoder::PictureDecoder(VideoCodec codec) : impl_{std::make_unique<Impl>(codec)} {}
PictureDecoder::~PictureDecoder() = default;

std::optional<PictureDecoder::Shown> PictureDecoder::decode(const EncodedFrame& frame,
                                                            const media::Frame& source) {
  return impl_->decode(frame, source);
}

PictureDecoder::Headers PictureDecoder::headers() const { return impl_->headers(); }

}  // namespace transcoder::test
