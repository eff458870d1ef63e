#pragma once

#include <map>
#include <utility>
#include <vector>

#include "base/units.h"
#include "server/address_counts.h"

namespace server {

/// Limits how fast one loop takes the requests of one client's addresses: a token bucket for each
/// AddressBlock::largest. Proxies, which pass on the requests of many clients, have no limit. Used
/// on the loop's thread.
class RequestPace {
 public:
  // A request takes 20 to 50 µs, so one client may take 5 % of a loop. A player of low-latency HLS
  // sends ten a second. Less would slow the players of a large office, which share an address.
  static constexpr double kMinPerSecond = 1000;
  // Requests that may come at once: those of pages that many open at the same time. More would load
  // the loop for longer, 50 ms now.
  static constexpr double kBurst = 1000;

  RequestPace(double per_second, std::vector<Network> proxies)
      : per_second_{per_second}, proxies_{std::move(proxies)} {}

  /// Whether a request of `address` may be taken now. If so, it counts.
  bool take(const Address& address, base::Time now);
  /// Forgets who has sent little. Call a few times per second.
  void forget_idle(base::Time now);
  std::size_t known() const { return buckets_.size(); }

 private:
  struct Bucket {
    double tokens = kBurst;
    base::Time updated;
  };

  double tokens(const Bucket& bucket, base::Time now) const;

  const double per_second_;
  const std::vector<Network> proxies_;
  std::map<AddressBlock, Bucket> buckets_;
  base::Time forgotten_{};  ///< when it last forgot
};

}  // namespace server
