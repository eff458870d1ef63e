#pragma once

#include <algorithm>

#include "base/units.h"

namespace transcoder::access {

/// A rate with bursts: `burst` at once, then one per `interval`. A value.
class TokenBucket {
 public:
  TokenBucket(int burst, base::Duration interval) : depth_{interval * burst}, interval_{interval} {}

  /// Takes one. Returns how long to wait before it is used, which may be 0.
  base::Duration take(base::Time now) {
    next_ = std::max(next_, now - depth_) + interval_;
    return std::max(next_ - now, base::Duration{0});
  }

  /// Takes one unless it would have to wait.
  bool try_take(base::Time now) {
    if (std::max(next_, now - depth_) + interval_ > now) return false;
    take(now);
    return true;
  }

 private:
  base::Duration depth_;
  base::Duration interval_;
  base::Time next_{base::Time::min() + depth_ + interval_};  ///< when the last one taken is due
};

}  // namespace transcoder::access
