#include "transcoder/picture/scaler.h"

extern "C" {
#include <libswscale/swscale.h>
}

#include <optional>

#include "transcoder/picture/picture_pool.h"

namespace transcoder {

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
    const auto picture = pool(size).take();
    const auto& canvas = picture.canvas;
    sws_scale(context_, source.plane.data(), source.stride.data(), 0, source.format.height,
              canvas.plane.data(), canvas.stride.data());
    auto frame = std::make_shared<media::Frame>(source);
    frame->format.width = size.width;
    frame->format.height = size.height;
    frame->plane = {canvas.plane[0], canvas.plane[1], canvas.plane[2]};
    frame->stride = canvas.stride;
    frame->memory = picture.memory;
    return frame;
  }

 private:
  PicturePool& pool(PictureSize size) {
    if (!pool_ || size != size_) pool_.emplace(size);
    size_ = size;
    return *pool_;
  }

  std::optional<PicturePool> pool_;
  PictureSize size_;               ///< of pool_
  SwsContext* context_ = nullptr;  ///< libswscale replaces it when a size changes
};

Scaler::Scaler() : impl_{std::make_unique<Impl>()} {}
Scaler::~Scaler() = default;

media::FramePtr Scaler::scale(media::FramePtr frame, PictureSize size) {
  if (PictureSize{frame->format.width, frame->format.height} == size) return frame;
  return impl_->scale(*frame, size);
}

}  // namespace transcoder
