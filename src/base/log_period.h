#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/units.h"

namespace base {

/// Counts a repeated event so that it is logged at most once per kMinLogInterval. Used on one
/// thread.
class LogPeriod {
 public:
  // Shorter floods the log, longer delays the news that an event goes on.
  static constexpr Duration kMinLogInterval = std::chrono::seconds{10};

  /// Adds `times` events, which may be 0. Returns the events since the last line if one is due,
  /// else nullopt.
  std::optional<std::uint64_t> count(Time now, std::uint64_t times = 1) {
    since_last_ += times;
    if (since_last_ == 0 || (last_ && now - *last_ < kMinLogInterval)) return std::nullopt;
    last_ = now;
    return std::exchange(since_last_, 0);
  }

 private:
  std::optional<Time> last_;      ///< when a line was last due
  std::uint64_t since_last_ = 0;  ///< events since then
};

}  // namespace base
