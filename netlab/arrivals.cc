#include "netlab/arrivals.h"

#include <algorithm>

namespace netlab {

void Arrivals::add(const Picture& picture) {
  lags_.push_back(base::seconds(picture.arrival.time_since_epoch()) -
                  static_cast<double>(picture.pts) / static_cast<double>(kTicksPerSecond));
}

Arrivals::State Arrivals::state() const {
  if (lags_.empty()) return {};
  auto sorted = lags_;
  std::ranges::sort(sorted);
  const auto at = [&sorted](std::size_t percent) {
    return sorted[(sorted.size() - 1) * percent / 100];
  };
  return {.frames = sorted.size(),
          .p50_s = at(50),
          .p95_s = at(95),
          .p99_s = at(99),
          .most_s = sorted.back()};
}

}  // namespace netlab
