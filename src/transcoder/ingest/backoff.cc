#include "transcoder/ingest/backoff.h"

#include <algorithm>

namespace transcoder {

base::Duration Backoff::next(base::Duration played, double random) {
  if (played >= min_) next_ = min_;
  constexpr double kJitter = 0.25;  // less would let servers retry together; more, too early
  const double factor = 1 + kJitter * (2 * random - 1);
  const auto wait = base::from_seconds(base::seconds(next_) * factor);
  next_ = std::min(2 * next_, max_);
  return wait;
}

}  // namespace transcoder
