#include "picture_quality.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "ssim.h"

extern "C" {
#include <libavcodec/avcodec.h>
}

namespace bench {

namespace {

std::size_t luma_bytes(transcoder::PictureSize size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

control::Luma luma(const media::Frame& frame) {
  return {frame.plane[0], frame.stride[0], frame.format.width, frame.format.height};
}

}  // namespace

PictureReader::PictureReader(transcoder::PictureSize size, double frame_rate)
    : size_{size}, frame_rate_{frame_rate}, planes_(luma_bytes(size) * 3 / 2) {}

media::FramePtr PictureReader::next() {
  if (std::fread(planes_.data(), 1, planes_.size(), stdin) != planes_.size()) return nullptr;
  const auto frame = std::make_shared<media::Frame>();
  const auto luma = luma_bytes(size_);
  frame->format = {.width = size_.width, .height = size_.height};
  frame->plane = {&planes_[0], &planes_[luma], &planes_[luma + luma / 4]};
  frame->stride = {size_.width, size_.width / 2, size_.width / 2};
  frame->number = number_++;
  frame->pts = base::from_seconds(static_cast<double>(frame->number) / frame_rate_);
  return frame;
}

Decoder::Decoder()
    : codec_{avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264))},
      shown_{av_frame_alloc()} {
  if (avcodec_open2(codec_.get(), nullptr, nullptr) != 0) throw std::runtime_error{"no decoder"};
}

media::FramePtr Decoder::decode(const std::vector<std::uint8_t>& bytes) {
  const transcoder::LibavPacket packet{av_packet_alloc()};
  av_new_packet(packet.get(), static_cast<int>(bytes.size()));
  std::ranges::copy(bytes, packet->data);
  if (avcodec_send_packet(codec_.get(), packet.get()) != 0 ||
      avcodec_receive_frame(codec_.get(), shown_.get()) != 0) {
    throw std::runtime_error{"a frame cannot be decoded"};
  }
  const auto frame = std::make_shared<media::Frame>();
  frame->format = {.width = shown_->width, .height = shown_->height};
  frame->plane = {shown_->data[0], shown_->data[1], shown_->data[2]};
  frame->stride = {shown_->linesize[0], shown_->linesize[1], shown_->linesize[2]};
  return frame;
}

double ssim(const media::Frame& a, const media::Frame& b) {
  return control::ssim(luma(a), luma(b));
}

}  // namespace bench
