#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "app/tcp/frame_deliveries.h"
#include "app/tcp/telemetry_budget.h"
#include "base/units.h"
#include "server/handler.h"
#include "tcpinfo/delivery.h"
#include "tcpinfo/tcp_sample.h"

namespace app {

/// Follows one viewer's frames to their acknowledgement: says which writes are marked, reads the
/// kernel's reports, and tells of each frame delivered. Used on its loop thread.
class DeliveryWatch {
 public:
  using Delivered = std::function<void(const server::SentFrame&, const FrameDelivery&)>;

  /// `budget`: of marks.
  DeliveryWatch(TelemetryBudget& budget, server::ViewerId viewer, Delivered delivered)
      : budget_{budget}, turn_{viewer}, delivered_{std::move(delivered)} {}

  /// Before the first write. False, with errno, when the kernel refuses: all times are TCP_INFO's.
  bool begin(const server::ViewerTick& tick);
  server::TxTimestampRequest tx_timestamps(base::ByteCount size, base::Time now);
  void read_reports(const server::ViewerTick& tick);
  void on_sample(const tcpinfo::TcpSample& sample, const server::ViewerTick& tick);

  /// The last sample was taken outside TCP's state Open.
  bool congested() const { return congested_; }

 private:
  TelemetryBudget& budget_;
  TelemetryBudget::Turn turn_;
  const Delivered delivered_;
  std::optional<tcpinfo::DeliveryReports> reports_;  ///< empty: nothing is marked
  FrameDeliveries frames_;
  std::uint32_t mss_ = 0;  ///< bytes, at the last sample; 0: none yet
  bool congested_ = false;
};

}  // namespace app
