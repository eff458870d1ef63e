#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/units.h"
#include "packet.h"

namespace sim {

/// The receiving end of a connection (RFC 5681, 4.2; RFC 2018). Acknowledges every second segment,
/// a lone one after 40 ms (Linux's TCP_DELACK_MIN), and one that leaves or fills a hole at once. An
/// `eager` reader is Linux with an application that reads at once, which acknowledges the end of
/// each write (tcp_cleanup_rbuf()). The receive window is never the limit. No I/O, no clock: `now`
/// never goes back.
class TcpReceiver {
 public:
  TcpReceiver(std::size_t flow, bool eager) : flow_{flow}, eager_{eager} {}

  /// The ACK that is sent at once, if any.
  std::optional<Ack> receive(const Segment& segment, base::Time now);
  std::optional<base::Time> timer() const { return timer_; }
  Ack on_timer() { return acknowledge(); }

  Offset cumulative() const { return cumulative_; }

 private:
  static constexpr base::Duration kDelayedAckTime = std::chrono::milliseconds{40};
  /// A new connection's first segments are acknowledged at once (TCP_MAX_QUICKACKS).
  static constexpr int kQuickAcks = 16;

  void store(const Range& bytes);
  void store_beyond(Range bytes);
  Ack acknowledge();

  const std::size_t flow_;
  const bool eager_;
  Offset cumulative_ = 0;
  std::map<Offset, Offset> beyond_;  ///< begin → end of the blocks after a hole
  std::vector<Offset> newest_;       ///< one offset in each newest block of beyond_, newest first
  int waiting_ = 0;                  ///< segments not acknowledged yet
  int quick_ = kQuickAcks;
  std::optional<base::Time> timer_;
};

}  // namespace sim
