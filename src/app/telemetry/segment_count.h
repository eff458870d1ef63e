#pragma once

#include <cstdint>
#include <utility>

#include "app/telemetry/metrics.h"

namespace app {

/// Adds one connection's segments to the metrics of its stream while it lives. Not thread-safe.
class SegmentCount {
 public:
  /// `sent`, `retransmitted`: totals of the connection, as in TCP_INFO.
  void update(Metrics::Stream& metrics, std::uint32_t sent, std::uint32_t retransmitted) {
    metrics.segments(sent - std::exchange(sent_, sent),
                     retransmitted - std::exchange(retransmitted_, retransmitted));
  }

 private:
  std::uint32_t sent_ = 0;
  std::uint32_t retransmitted_ = 0;
};

}  // namespace app
