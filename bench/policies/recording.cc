#include "recording.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <stdexcept>

namespace control {

namespace {

constexpr AVRational kNanoseconds{1, 1'000'000'000};

struct CloseInput {
  void operator()(AVFormatContext* input) const { avformat_close_input(&input); }
};
struct FreeDecoder {
  void operator()(AVCodecContext* decoder) const { avcodec_free_context(&decoder); }
};
struct FreePacket {
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};

std::unique_ptr<AVFormatContext, CloseInput> open_input(const std::string& path) {
  AVFormatContext* input = nullptr;
  if (avformat_open_input(&input, path.c_str(), nullptr, nullptr) < 0 ||
      avformat_find_stream_info(input, nullptr) < 0) {
    avformat_close_input(&input);
    throw std::runtime_error{path + ": not a stream that libavformat reads"};
  }
  return std::unique_ptr<AVFormatContext, CloseInput>{input};
}

media::FramePtr as_frame(std::shared_ptr<AVFrame> picture, AVRational unit) {
  if (picture->format != AV_PIX_FMT_YUV420P) throw std::runtime_error{"a picture that is not I420"};
  auto frame = std::make_shared<media::Frame>();
  frame->format.width = picture->width;
  frame->format.height = picture->height;
  for (std::size_t i = 0; i < 3; ++i) {
    frame->plane[i] = picture->data[i];
    frame->stride[i] = picture->linesize[i];
  }
  frame->pts = media::Pts{av_rescale_q(picture->best_effort_timestamp, unit, kNanoseconds)};
  frame->memory = std::move(picture);
  return frame;
}

}  // namespace

class Recording::Impl {
 public:
  explicit Impl(const std::string& path) : input_{open_input(path)} {
    const AVCodec* codec = nullptr;
    video_ = av_find_best_stream(input_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
    if (video_ < 0) throw std::runtime_error{path + ": no video"};
    decoder_.reset(avcodec_alloc_context3(codec));
    avcodec_parameters_to_context(decoder_.get(), input_->streams[video_]->codecpar);
    decoder_->thread_count = 1;
    if (avcodec_open2(decoder_.get(), codec, nullptr) < 0) {
      throw std::runtime_error{path + ": no decoder"};
    }
  }

  media::FramePtr next() {
    for (;;) {
      const std::shared_ptr<AVFrame> picture{av_frame_alloc(),
                                             [](AVFrame* frame) { av_frame_free(&frame); }};
      const int got = avcodec_receive_frame(decoder_.get(), picture.get());
      if (got == 0) return as_frame(picture, input_->streams[video_]->time_base);
      if (got != AVERROR(EAGAIN)) return nullptr;
      feed();
    }
  }

 private:
  /// Feeds the decoder one packet of video, or the end of the stream.
  void feed() {
    const std::unique_ptr<AVPacket, FreePacket> packet{av_packet_alloc()};
    while (av_read_frame(input_.get(), packet.get()) >= 0) {
      if (packet->stream_index == video_) {
        avcodec_send_packet(decoder_.get(), packet.get());
        return;
      }
      av_packet_unref(packet.get());
    }
    avcodec_send_packet(decoder_.get(), nullptr);
  }

  std::unique_ptr<AVFormatContext, CloseInput> input_;
  std::unique_ptr<AVCodecContext, FreeDecoder> decoder_;
  int video_ = -1;
};

Recording::Recording(const std::string& path) : impl_{std::make_unique<Impl>(path)} {}
Recording::~Recording() = default;

media::FramePtr Recording::next() { return impl_->next(); }

}  // namespace control
