#include "transcoder/stream/encode_cost.h"

#include <cstdint>
#include <stdexcept>

#include "base/thread_time.h"
#include "transcoder/encode/open_encoder.h"
#include "transcoder/picture/picture_pool.h"
#include "transcoder/testsource/test_pattern.h"

namespace transcoder {

namespace {

// Longer delays `symcast doctor`; shorter measures mostly the first frame, a keyframe.
constexpr base::Duration kEnough = std::chrono::milliseconds{500};
constexpr std::uint32_t kMinFrames = 5;  // even if one takes longer than kEnough

}  // namespace

double measure_encode_cost(const EncoderSettings& encoder, const VideoSettings& video,
                           base::BitRate rate) {
  const TestOptions options{.size = scale_picture({video.max_width, video.max_height}, 1),
                            .frame_rate = video.max_frame_rate};
  const TestPattern pattern{options};
  PicturePool pool{options.size};
  const media::PictureFormat format{options.size.width, options.size.height, 1, 1, {}};
  const auto opened = open_encoder(encoder, format, options.frame_rate, rate);

  base::Duration spent{};
  std::uint32_t frames = 0;
  for (; spent < kEnough || frames < kMinFrames; ++frames) {
    const auto picture = pool.take();
    const auto pts = base::from_seconds(frames / options.frame_rate);
    pattern.draw(picture.canvas, {.frame = frames, .captured = base::Time{pts}});
    const media::Frame frame{
        .format = format,
        .plane = {picture.canvas.plane[0], picture.canvas.plane[1], picture.canvas.plane[2]},
        .stride = picture.canvas.stride,
        .memory = picture.memory,
        .number = frames,
        .pts = pts,
        .captured = base::Time{pts}};
    const auto begin = base::thread_cpu_time();
    if (const auto encoded = opened->encode(frame, frames == 0); !encoded) {
      throw std::runtime_error{encoded.error()};
    }
    spent += base::thread_cpu_time() - begin;
  }
  return base::seconds(spent) / frames * options.frame_rate;
}

}  // namespace transcoder
