#include "transcoder/time/clock_anchor.h"

#include <algorithm>

namespace transcoder {

namespace {

/// 500 ppm: crystals differ by up to 100 ppm, and half a millisecond per second is not heard.
constexpr std::int64_t kDriftDivisor = 2000;

}  // namespace

void ClockAnchor::follow(base::Duration source, base::Duration ours) {
  const auto step = std::max(base::Duration{0}, ours - followed_) / kDriftDivisor;
  offset_ += std::clamp(ours - place(source), -step, step);
  followed_ = std::max(followed_, ours);
}

}  // namespace transcoder
