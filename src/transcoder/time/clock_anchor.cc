#include "transcoder/time/clock_anchor.h"

#include <algorithm>

namespace transcoder {

namespace {

/// Limits the correction to 500 ppm. Crystals differ by up to 100 ppm, so less would be slow to
/// follow them; half a millisecond per second cannot be heard.
constexpr std::int64_t kMaxDriftDivisor = 2000;

}  // namespace

void ClockAnchor::follow(base::Duration source, base::Duration ours) {
  const auto step = std::max(base::Duration{0}, ours - followed_) / kMaxDriftDivisor;
  offset_ += std::clamp(ours - place(source), -step, step);
  followed_ = std::max(followed_, ours);
}

}  // namespace transcoder
