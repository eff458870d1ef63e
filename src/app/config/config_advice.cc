#include "app/config/config_advice.h"

#include <fmt/format.h>

#include "app/config/config_units.h"

namespace app {

namespace {

/// To be read: to the next 100 kbit/s.
base::BitRate rounded_up(base::BitRate rate) {
  constexpr std::int64_t kUnit = 100'000;
  return base::BitRate{(rate.bps() + kUnit - 1) / kUnit * kUnit};
}

}  // namespace

std::string never_reached(const StreamConfig& stream) {
  const auto& video = stream.media.video;
  const auto need =
      abr::full_size_rate(stream.points, video.max_frame_rate * video.max_width * video.max_height);
  const auto max = stream.control.rate.max;
  if (max >= need) return {};
  return fmt::format(
      "viewers never get pictures of {}x{} at {} frames per second, which need {}, and rate.max is "
      "{}; raise rate.max, or lower video.max_height, video.max_frame_rate or "
      "scaling.min_bits_per_pixel",
      video.max_width, video.max_height, video.max_frame_rate, text_of(rounded_up(need)),
      text_of(max));
}

}  // namespace app
