#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/units.h"
#include "congestion_control.h"
#include "packet.h"

namespace sim {

/// How much of the congestion window is used. An unused window must not grow, and decays (RFC 2861;
/// tcp_cwnd_validate(), with tcp_slow_start_after_idle on, the default). Counts are of segments.
class WindowUse {
 public:
  struct Sent {
    base::Time now{};
    std::int64_t in_flight = 0;
    bool limited = false;   ///< the window holds segments back
    Offset cumulative = 0;  ///< acknowledged
    Offset next = 0;        ///< the first byte never sent
  };

  /// Call after each transmission, and when the window forbids one. Returns the used part of a
  /// window that has not been full for `timeout`, else nullopt.
  std::optional<std::int64_t> note(const Sent& sent, const CongestionControl& control,
                                   base::Duration timeout) {
    if (sent.cumulative >= end_ || sent.limited || (!limited_ && sent.in_flight > most_)) {
      limited_ = sent.limited;
      most_ = sent.in_flight;
      end_ = sent.next;
    }
    if (limited(control)) {
      used_ = 0;
      full_at_ = sent.now;
      return std::nullopt;
    }
    used_ = std::max(used_, sent.in_flight);
    if (sent.now - full_at_ < timeout) return std::nullopt;
    full_at_ = sent.now;
    return std::exchange(used_, 0);
  }

  /// tcp_is_cwnd_limited()
  bool limited(const CongestionControl& control) const {
    if (control.in_slow_start()) return control.window() < 2 * static_cast<double>(most_);
    return limited_;
  }

 private:
  // For the window's worth of data that ends at end_.
  bool limited_ = false;   ///< the window held segments back
  std::int64_t most_ = 0;  ///< most segments in flight
  Offset end_ = 0;
  std::int64_t used_ = 0;  ///< most segments in flight since full_at_
  base::Time full_at_{};
};

}  // namespace sim
