#include "transcoder/ingest/backoff.h"

#include <algorithm>

namespace transcoder {

base::Duration Backoff::next(double random) {
  constexpr double kSpread = 0.25;
  const double factor = 1 + kSpread * (2 * random - 1);
  const auto wait = base::from_seconds(base::seconds(next_) * factor);
  next_ = std::min(2 * next_, max_);
  return wait;
}

}  // namespace transcoder
