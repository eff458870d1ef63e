#include "transcoder/gst/black_pictures.h"

#include <algorithm>

#include "transcoder/picture/picture_pool.h"

namespace transcoder {

namespace {

constexpr PictureSize kBlackSize{640, 360};
/// As many as most sources send. Fewer cost less, but make players wait for keyframes and parts.
constexpr base::Duration kBlackInterval = std::chrono::milliseconds{40};

// Black in limited range (ITU-R BT.601).
constexpr std::uint8_t kBlackLuma = 16;
constexpr std::uint8_t kBlackChroma = 128;

media::Frame make_black(const VideoSettings& limits) {
  const auto size = fit_picture(kBlackSize, limits);
  const auto picture = PicturePool{size}.take();
  media::Frame frame{.format = {.width = size.width, .height = size.height}};
  for (std::size_t i = 0; i < frame.plane.size(); ++i) {
    const int rows = i == 0 ? size.height : size.height / 2;
    std::fill_n(picture.canvas.plane[i], picture.canvas.stride[i] * rows,
                i == 0 ? kBlackLuma : kBlackChroma);
    frame.plane[i] = picture.canvas.plane[i];
    frame.stride[i] = picture.canvas.stride[i];
  }
  frame.memory = picture.memory;
  return frame;
}

}  // namespace

BlackPictures::BlackPictures(const VideoSettings& limits) : limits_{limits} {}

bool BlackPictures::start(base::Time now, bool complete) {
  if (!since_) since_ = now;
  started_ = started_ || complete || now - *since_ >= kPatience;
  return started_;
}

std::optional<media::Frame> BlackPictures::next(base::Duration audio) {
  constexpr base::Duration kMaxBehind = std::chrono::seconds{1};  // then the audio has jumped
  if (!next_ || audio - *next_ > kMaxBehind || *next_ - audio > kMaxBehind) next_ = audio;
  if (*next_ > audio) return std::nullopt;
  if (!picture_) picture_ = make_black(limits_);
  picture_->pts = *next_;
  *next_ += kBlackInterval;
  return picture_;
}

}  // namespace transcoder
