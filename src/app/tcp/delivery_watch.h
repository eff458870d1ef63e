#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "app/tcp/frame_deliveries.h"
#include "app/tcp/telemetry_budget.h"
#include "base/units.h"
#include "server/handler.h"
#include "tcpinfo/delivery.h"
#include "tcpinfo/tcp_sample.h"

namespace app {

/// Follows one viewer's frames to their acknowledgement: chooses the writes that request an ACK
/// timestamp, reads the kernel's reports, and reports each delivered frame. Used on the viewer's
/// loop thread.
class DeliveryWatch {
 public:
  using Delivered = std::function<void(const server::SentFrame&, const FrameDelivery&)>;

  /// `budget`: for ACK timestamps; must outlive this object. `delivered` is called for each frame,
  /// oldest first.
  DeliveryWatch(TelemetryBudget& budget, server::ViewerId viewer, Delivered delivered)
      : budget_{budget}, turn_{viewer}, delivered_{std::move(delivered)} {}

  /// Call before the first write. Returns false and sets errno if the kernel refuses ACK
  /// timestamps; all delivery times then come from TCP_INFO.
  bool begin(const server::ViewerTick& tick);
  server::TxTimestampRequest tx_timestamps(base::ByteCount size, base::Time now);
  void read_reports(const server::ViewerTick& tick);
  void on_sample(const tcpinfo::TcpSample& sample, const server::ViewerTick& tick);

  /// Whether TCP was in a state other than Open at the last sample.
  bool congested() const { return congested_; }

 private:
  TelemetryBudget& budget_;
  TelemetryBudget::Turn turn_;
  const Delivered delivered_;
  std::optional<tcpinfo::DeliveryReports> reports_;  ///< nullopt if no ACK timestamps are requested
  FrameDeliveries frames_;
  std::uint32_t mss_ = 0;  ///< bytes, at the last sample; 0 before the first
  bool congested_ = false;
};

}  // namespace app
