#include "transcoder/gst/arrival_limit.h"

#include <algorithm>

namespace transcoder {

namespace {

using namespace std::chrono_literals;

/// Data arrive at most 10 s before their time (ISO/IEC 13818-1, 2.4.2.6), so this much may come at
/// once after a pause.
constexpr base::Duration kArrivalBurst = 10s;

/// Eight times the highest rate of cameras (120). At a thousand per second, receiving and dropping
/// small pictures takes a few percent of a CPU.
constexpr base::Duration kShortestInterval = 1ms;

}  // namespace

base::Time ArrivalLimit::Rate::due(base::Time now) const {
  return std::max(next, now - kArrivalBurst) + interval;
}

ArrivalLimit::ArrivalLimit(double max_rate)
    : kept_{base::Duration{static_cast<base::Duration::rep>(1e9 / max_rate)}},
      all_{kShortestInterval} {}

ArrivalLimit::Verdict ArrivalLimit::take(base::Time now) {
  // Those that are dropped have no burst: nobody waits for them.
  all_.next = std::max(all_.next, now) + all_.interval;
  const auto due = kept_.due(now);
  if (due <= now) {
    kept_.next = due;
    return {};
  }
  dropped_ = now;
  return {false, std::min(all_.next - now, kShortestInterval)};
}

bool ArrivalLimit::exceeded(base::Time now) const {
  return dropped_ && now - *dropped_ < kArrivalBurst;
}

}  // namespace transcoder
