#include "transcoder/gst/track_changes.h"

#include <utility>

namespace transcoder {

namespace {

using namespace std::chrono_literals;

/// Programmes and advertisements take turns more slowly.
constexpr base::Duration kCountWindow = 10s;
constexpr std::uint64_t kMostUsual = 10;

/// Between two lines.
constexpr base::Duration kLineInterval = 60s;

}  // namespace

std::optional<std::uint64_t> TrackChanges::note(std::uint64_t times, base::Time now) {
  if (times == 0) return std::nullopt;
  if (!begin_ || now - *begin_ >= kCountWindow) {
    begin_ = now;
    count_ = 0;
  }
  count_ += times;
  since_last_ += times;
  if (count_ <= kMostUsual || (last_ && now - *last_ < kLineInterval)) return std::nullopt;
  last_ = now;
  return std::exchange(since_last_, 0);
}

}  // namespace transcoder
