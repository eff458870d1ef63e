#include "transcoder/recode/h264_decoder.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "transcoder/encode/libav_handle.h"
#include "transcoder/encode/libav_log.h"

namespace transcoder {

namespace {

LibavCodec open() {
  capture_libav_log();
  const AVCodec* decoder = avcodec_find_decoder(AV_CODEC_ID_H264);
  if (decoder == nullptr) {
    throw std::runtime_error{"libavcodec has no H.264 decoder; install FFmpeg with one"};
  }
  LibavCodec codec{avcodec_alloc_context3(decoder)};
  if (!codec) throw std::bad_alloc{};
  codec->thread_count = 1;
  codec->flags |= AV_CODEC_FLAG_LOW_DELAY;
  const int result = avcodec_open2(codec.get(), decoder, nullptr);
  if (result < 0) throw std::runtime_error{"H.264 decoder: open: " + libav_error(result)};
  return codec;
}

media::PictureFormat format_of(const AVFrame& frame) {
  const auto sar = frame.sample_aspect_ratio;
  const bool has_shape = sar.num > 0 && sar.den > 0;
  return {.width = frame.width,
          .height = frame.height,
          .sar_num = has_shape ? sar.num : 1,
          .sar_den = has_shape ? sar.den : 1,
          .colour = {.primaries = frame.color_primaries,
                     .transfer = frame.color_trc,
                     .matrix = frame.colorspace,
                     .full_range = frame.color_range == AVCOL_RANGE_JPEG}};
}

}  // namespace

class H264Decoder::Impl {
 public:
  base::Result<media::FramePtr> decode(const media::Packet& packet) {
    if (const int result = send(packet); result < 0) return failure(result);
    LibavFrame decoded{av_frame_alloc()};
    if (!decoded) throw std::bad_alloc{};
    const int result = avcodec_receive_frame(codec_.get(), decoded.get());
    if (result < 0) return failure(result);
    if (decoded->format != AV_PIX_FMT_YUV420P && decoded->format != AV_PIX_FMT_YUVJ420P) {
      return base::Error{"H.264 decoder: the frame is not 4:2:0 with 8 bits"};
    }
    return wrap(std::move(decoded), packet);
  }

 private:
  static base::Error failure(int result) { return {"H.264 decoder: " + libav_error(result)}; }

  /// Copies the packet, because libavcodec reads padding beyond its end.
  int send(const media::Packet& packet) {
    const auto size = packet.unit.size();
    if (size > std::numeric_limits<int>::max() - AV_INPUT_BUFFER_PADDING_SIZE) {
      return AVERROR(EINVAL);
    }
    const int result = av_new_packet(packet_.get(), static_cast<int>(size));
    if (result < 0) return result;
    std::copy(packet.unit.begin(), packet.unit.end(), packet_->data);
    const int sent = avcodec_send_packet(codec_.get(), packet_.get());
    av_packet_unref(packet_.get());
    return sent;
  }

  static media::FramePtr wrap(LibavFrame decoded, const media::Packet& packet) {
    auto frame = std::make_shared<media::Frame>();
    frame->format = format_of(*decoded);
    for (std::size_t i = 0; i < frame->plane.size(); ++i) {
      frame->plane[i] = decoded->data[i];
      frame->stride[i] = decoded->linesize[i];
    }
    frame->number = packet.number;
    frame->pts = packet.pts;
    frame->captured = packet.captured;
    frame->memory = std::shared_ptr<AVFrame>{std::move(decoded)};
    return frame;
  }

  const LibavCodec codec_ = open();
  const LibavPacket packet_{av_packet_alloc()};
};

H264Decoder::H264Decoder() : impl_{std::make_unique<Impl>()} {}
H264Decoder::~H264Decoder() = default;

base::Result<media::FramePtr> H264Decoder::decode(const media::Packet& packet) {
  return impl_->decode(packet);
}

}  // namespace transcoder
