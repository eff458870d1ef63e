#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/units.h"

namespace base {

/// Counts a repeated event so that it is logged once per period. Used on one thread.
class LogPeriod {
 public:
  static constexpr Duration kPeriod = std::chrono::seconds{10};  ///< a log stays readable

  /// `times` more, or none. When it is time to log: how many there were since the last line.
  std::optional<std::uint64_t> count(Time now, std::uint64_t times = 1) {
    since_last_ += times;
    if (since_last_ == 0 || (last_ && now - *last_ < kPeriod)) return std::nullopt;
    last_ = now;
    return std::exchange(since_last_, 0);
  }

 private:
  std::optional<Time> last_;
  std::uint64_t since_last_ = 0;
};

}  // namespace base
