#pragma once

#include <deque>
#include <utility>

#include "base/units.h"

namespace transcoder {

/// The rate of the last second. Holds one entry per picture of it. Pure.
class RateMeter {
 public:
  void add(base::Time now, base::ByteCount amount) {
    entries_.emplace_back(now, amount);
    while (entries_.front().first <= now - kWindow) entries_.pop_front();
  }

  base::BitRate rate(base::Time now) const {
    base::ByteCount sum;
    for (const auto& [time, amount] : entries_) {
      if (time > now - kWindow) sum += amount;
    }
    return base::BitRate::of(sum, kWindow);
  }

 private:
  static constexpr base::Duration kWindow = std::chrono::seconds{1};

  std::deque<std::pair<base::Time, base::ByteCount>> entries_;
};

}  // namespace transcoder
