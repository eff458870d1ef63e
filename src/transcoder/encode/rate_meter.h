#pragma once

#include <deque>
#include <utility>

#include "base/units.h"

namespace transcoder {

/// Measures the rate of the last second. Keeps one entry per frame. No I/O, no clock.
class RateMeter {
 public:
  void add(base::Time now, base::ByteCount amount) {
    entries_.emplace_back(now, amount);
    while (entries_.front().first <= now - kRateWindow) entries_.pop_front();
  }

  base::BitRate rate(base::Time now) const {
    base::ByteCount sum;
    for (const auto& [time, amount] : entries_) {
      if (time > now - kRateWindow) sum += amount;
    }
    return base::BitRate::of(sum, kRateWindow);
  }

 private:
  static constexpr base::Duration kRateWindow = std::chrono::seconds{1};

  std::deque<std::pair<base::Time, base::ByteCount>> entries_;
};

}  // namespace transcoder
