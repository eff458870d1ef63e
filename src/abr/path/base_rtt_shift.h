#pragma once

#include <cstddef>

#include "base/units.h"

namespace abr {

/// What the way is longer by than the kernel's least round trip. That is of the last five minutes
/// (tcp_min_rtt_wlen): after a hand-over to a longer path every frame seems to wait. A queue that
/// somebody fills and drains wavers; a way does not. Pure.
class BaseRttShift {
 public:
  /// A train's head has waited so long beyond the kernel's least round trip and the detour known
  /// (seconds, less than 0: not even that). `filled`: we send enough to fill the path ourselves.
  void add(double waited, bool filled, base::Time at);
  base::Duration length() const { return base::from_seconds(seconds_); }

 private:
  void begin(double waited, base::Time at);

  double seconds_ = 0;
  std::size_t count_ = 0;  ///< of waits alike, since
  base::Time since_{};
  double least_ = 0;
  double most_ = 0;
};

}  // namespace abr
