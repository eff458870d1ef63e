#pragma once

#include "base/units.h"

namespace abr {

/// Says when BBR should begin again on a connection that is idle between transfers. BBR measures
/// the bandwidth in round trips in which it always has data to send; the others only raise it
/// (draft-cardwell-iccrg-bbr-congestion-control, 4.1.2.4). Transfers of two round trips or less
/// have no such round trip, unless a segment is lost, and what that one shows is the length of the
/// transfer. BBR then paces the next ones by it, the rate of the video falls, and the transfers get
/// shorter. A new start, which doubles the pace in each round trip, ends that. A path that has
/// become slower looks the same at first; then one new start is in vain. `bench/players far` shows
/// it at 200 ms. No I/O, no clock; one instance per connection.
class BbrRestart {
 public:
  struct Transfer {
    base::ByteCount amount;
    base::BitRate rate;    ///< TransferRate::value() at its end
    base::BitRate pace;    ///< the kernel's at its end
    base::Duration rtt{};  ///< smoothed, at its end
    base::Duration min_rtt{};
  };

  /// Called at the end of each transfer. True: begin again now.
  bool wanted(const Transfer& transfer, base::Time now);

 private:
  base::BitRate best_;  ///< the highest rate since the last restart
  base::Time next_{};   ///< not before
};

}  // namespace abr
