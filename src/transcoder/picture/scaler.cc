#include "transcoder/picture/scaler.h"

extern "C" {
#include <libswscale/swscale.h>
}

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace transcoder {

namespace {

/// Rows start where vector instructions want them.
constexpr int kAlignment = 64;

int aligned(int width) { return (width + kAlignment - 1) / kAlignment * kAlignment; }

std::shared_ptr<media::Frame> blank(const media::Frame& source, PictureSize size) {
  const int luma = aligned(size.width);
  const int chroma = aligned(size.width / 2);
  const std::size_t luma_bytes = static_cast<std::size_t>(luma) * size.height;
  const std::size_t chroma_bytes = static_cast<std::size_t>(chroma) * (size.height / 2);
  auto memory = std::make_shared<std::vector<std::uint8_t>>(luma_bytes + 2 * chroma_bytes);
  auto frame = std::make_shared<media::Frame>(source);
  frame->format.width = size.width;
  frame->format.height = size.height;
  frame->plane = {memory->data(), memory->data() + luma_bytes,
                  memory->data() + luma_bytes + chroma_bytes};
  frame->stride = {luma, chroma, chroma};
  frame->memory = std::move(memory);
  return frame;
}

}  // namespace

class Scaler::Impl {
 public:
  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { sws_freeContext(context_); }

  media::FramePtr scale(const media::Frame& source, PictureSize size) {
    context_ = sws_getCachedContext(context_, source.format.width, source.format.height,
                                    AV_PIX_FMT_YUV420P, size.width, size.height, AV_PIX_FMT_YUV420P,
                                    SWS_BICUBIC, nullptr, nullptr, nullptr);
    if (context_ == nullptr) return nullptr;
    auto frame = blank(source, size);
    std::uint8_t* planes[3];
    for (int i = 0; i < 3; ++i) planes[i] = const_cast<std::uint8_t*>(frame->plane[i]);
    sws_scale(context_, source.plane.data(), source.stride.data(), 0, source.format.height, planes,
              frame->stride.data());
    return frame;
  }

 private:
  SwsContext* context_ = nullptr;  ///< re-made by libswscale when a size changes
};

Scaler::Scaler() : impl_{std::make_unique<Impl>()} {}
Scaler::~Scaler() = default;

media::FramePtr Scaler::scale(media::FramePtr frame, PictureSize size) {
  if (PictureSize{frame->format.width, frame->format.height} == size) return frame;
  return impl_->scale(*frame, size);
}

}  // namespace transcoder
