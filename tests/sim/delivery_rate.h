#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"

namespace sim {

/// What the path delivers while a segment is on its way, as tcp_rate.c reckons it
/// (draft-cheng-iccrg-delivery-rate-estimation). Counts are of segments. Not modelled: what waits
/// in the host's queues (sk_wmem_alloc), and a clock of microseconds.
class DeliveryRate {
 public:
  /// A segment carries it from its transmission on.
  struct Snapshot {
    std::int64_t delivered = 0;
    base::Time delivered_at{};
    base::Time first_sent{};
    bool app_limited = false;
  };

  /// `idle`: nothing is unacknowledged. What is lost is: it may only seem so.
  Snapshot on_send(base::Time now, bool idle) {
    if (idle) first_sent_ = delivered_at_ = now;
    return {delivered_, delivered_at_, first_sent_, delivered_ <= app_limited_until_};
  }
  void on_delivered(base::Time now) {
    ++delivered_;
    delivered_at_ = now;
  }
  /// tcp_rate_check_app_limited(): a write finds nothing waiting, though the window would let it.
  /// Or the congestion control holds back.
  void on_app_limited(std::int64_t in_flight) {
    app_limited_until_ = std::max<std::int64_t>(1, delivered_ + in_flight);
  }

  /// tcp_rate_gen(), of the newest segment that an acknowledgement delivers: the rate while it was
  /// on its way; zero: too short to tell.
  base::BitRate sample(const Snapshot& segment, base::Time sent, base::Time now,
                       base::Duration min_rtt, std::uint32_t mss) {
    first_sent_ = sent;
    const auto interval = std::max(sent - segment.first_sent, now - segment.delivered_at);
    if (interval.count() == 0 || interval < min_rtt) return {};
    const auto rate = base::BitRate::of(
        base::ByteCount{(delivered_ - segment.delivered) * std::int64_t{mss}}, interval);
    // An application-limited sample counts if it is no worse.
    if (!segment.app_limited || rate >= rate_) {
      rate_ = rate;
      app_limited_ = segment.app_limited;
    }
    return rate;
  }

  std::int64_t delivered() const { return delivered_; }
  base::BitRate rate() const { return rate_; }       ///< TCP_INFO's; zero: none yet
  bool app_limited() const { return app_limited_; }  ///< so is that

 private:
  std::int64_t delivered_ = 0;
  base::Time delivered_at_{};
  base::Time first_sent_{};
  std::int64_t app_limited_until_ = -1;  ///< delivered_ beyond which it no longer is
  base::BitRate rate_;
  bool app_limited_ = false;
};

}  // namespace sim
