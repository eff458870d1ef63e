#pragma once

#include "base/units.h"

namespace app {

/// The maximum of one connection's retransmission timer (`tcp.rto_max`, TCP_RTO_MAX_MS). The kernel
/// applies it before the first doubling too (tcp_set_rto), so a maximum below the round trip makes
/// the timer expire although nothing is lost. The maximum is therefore at least three times the
/// smoothed round trip. Belongs to the connection, used on its loop thread.
class RtoMax {
 public:
  /// Call once. `configured`: the maximum while the round trip is short; kKernelsRtoMax leaves the
  /// kernel's. Returns false and sets errno if the kernel refuses; follow() then does nothing.
  bool begin(int fd, base::Duration configured);
  /// `rtt`: smoothed round trip, zero if unknown. Calls the kernel only when the maximum in force
  /// is too low, or much too high.
  void follow(int fd, base::Duration rtt);

 private:
  base::Duration configured_{};
  base::Duration in_force_{};  ///< zero if the kernel's maximum is
};

}  // namespace app
