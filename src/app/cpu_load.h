#pragma once

#include "base/units.h"

namespace app {

/// How many CPUs something uses, over windows of a second. No I/O, no clock.
class CpuLoad {
 public:
  /// `used`: its CPU time so far. Returns the load of the last whole window, 0 before there is one.
  double update(base::Duration used, base::Time now) {
    const auto window = now - since_;
    if (window < kWindow) return load_;
    if (since_ != base::Time{}) load_ = base::seconds(used - used_) / base::seconds(window);
    used_ = used;
    since_ = now;
    return load_;
  }

 private:
  // As long as those of abr::EncodeBudget, whose loads are compared with this one.
  static constexpr base::Duration kWindow = std::chrono::seconds{1};

  base::Duration used_{};
  base::Time since_{};
  double load_ = 0;
};

}  // namespace app
