#pragma once

#include <algorithm>
#include <cstdint>

#include "base/units.h"

namespace sim {

/// The rate at which the path delivers while a segment is on its way, as tcp_rate.c measures it
/// (draft-cheng-iccrg-delivery-rate-estimation). Counts are of segments. Not modelled: data in the
/// host's queues (sk_wmem_alloc), and a clock of microseconds.
class DeliveryRate {
 public:
  /// The state at a segment's transmission, which stays with the segment.
  struct Snapshot {
    std::int64_t delivered = 0;
    base::Time delivered_at{};
    base::Time first_sent{};
    bool app_limited = false;
  };

  /// `idle`: all data is acknowledged. A lost segment is not, because it may only seem lost.
  Snapshot on_send(base::Time now, bool idle) {
    if (idle) first_sent_ = delivered_at_ = now;
    return {delivered_, delivered_at_, first_sent_, delivered_ <= app_limited_until_};
  }
  void on_delivered(base::Time now) {
    ++delivered_;
    delivered_at_ = now;
  }
  /// tcp_rate_check_app_limited(): a write found nothing waiting although the window had room. Or
  /// the congestion control holds back.
  void on_app_limited(std::int64_t in_flight) {
    app_limited_until_ = std::max<std::int64_t>(1, delivered_ + in_flight);
  }

  /// tcp_rate_gen() for the newest segment that an ACK delivers: the rate while it was on its way.
  /// Zero if that was too short.
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
  base::BitRate rate() const { return rate_; }       ///< TCP_INFO's; zero: unknown
  bool app_limited() const { return app_limited_; }  ///< the application limited rate()

 private:
  std::int64_t delivered_ = 0;
  base::Time delivered_at_{};
  base::Time first_sent_{};
  std::int64_t app_limited_until_ = -1;  ///< up to this count of delivered_
  base::BitRate rate_;
  bool app_limited_ = false;
};

}  // namespace sim
