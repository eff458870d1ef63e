#pragma once

#include <algorithm>

#include "base/units.h"

namespace sim {

/// TCP's RTT estimates and the retransmission timeout: RFC 6298, section 2, with Linux's bound,
/// which applies to the variance term (tcp_rtt_estimator(), TCP_RTO_MIN).
class RoundTrip {
 public:
  void add(base::Duration rtt) {
    newest_ = rtt;
    min_ = min_.count() == 0 ? rtt : std::min(min_, rtt);
    if (smoothed_.count() == 0) {
      smoothed_ = rtt;
      variance_ = rtt / 2;
      return;
    }
    variance_ = (3 * variance_ + std::chrono::abs(rtt - smoothed_)) / 4;
    smoothed_ = (7 * smoothed_ + rtt) / 8;
  }

  // Zero until measured.
  base::Duration newest() const { return newest_; }
  base::Duration min() const { return min_; }
  base::Duration smoothed() const { return smoothed_; }

  /// The timeout without back-off.
  base::Duration timeout() const {
    constexpr base::Duration kInitialTimeout = std::chrono::seconds{1};
    if (smoothed_.count() == 0) return kInitialTimeout;
    return smoothed_ + std::max(kMinTimeout, 4 * variance_);
  }

  static constexpr base::Duration kMinTimeout = std::chrono::milliseconds{200};

 private:
  base::Duration newest_{};
  base::Duration min_{};
  base::Duration smoothed_{};
  base::Duration variance_{};
};

}  // namespace sim
