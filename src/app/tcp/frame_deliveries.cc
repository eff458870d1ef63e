#include "app/tcp/frame_deliveries.h"

#include <algorithm>

namespace app {

FrameDelivery FrameDeliveries::delivered_by(const tcpinfo::Delivery& report,
                                            const server::SentFrame& frame) const {
  // If the receiver is near, ACKs may arrive before the write has returned.
  const auto after_departure = [&](base::Time at) { return std::max(at, frame.departed); };
  FrameDelivery delivery{.at = after_departure(report.at)};
  if (report.end != frame.marked_end) {  // a later frame's report
    delivery.uncertainty = uncertainty(frame, delivery.at);
    return delivery;
  }
  delivery.source = FrameDelivery::Source::kTimestamp;
  if (frame.head_end > 0 && frame.head_end == last_report_.end) {
    delivery.head = after_departure(last_report_.at);
  }
  return delivery;
}

}  // namespace app
