#pragma once

#include <cstddef>

#include "base/units.h"

namespace abr {

/// How much longer the path is than the kernel's minimum RTT. That minimum covers the last five
/// minutes (tcp_min_rtt_wlen), so that after a handover to a longer path every frame seems to
/// queue. A queue fluctuates as it fills and drains, a path does not: a constant wait is taken for
/// a longer path. No I/O, no clock.
class BaseRttShift {
 public:
  /// `waited`: seconds from a train's departure to the ACK of its head, beyond the kernel's minimum
  /// RTT and length(); negative when the head was faster. `filled`: our frames are large enough to
  /// fill the path, so that the wait may be a queue of our own.
  void add(double waited, bool filled, base::Time at);
  base::Duration length() const { return base::from_seconds(seconds_); }

 private:
  void begin(double waited, base::Time at);

  double seconds_ = 0;
  std::size_t count_ = 0;  ///< about equal waits in a row, the first at since_
  base::Time since_{};
  double least_ = 0;
  double most_ = 0;
};

}  // namespace abr
