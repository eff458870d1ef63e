#pragma once

#include <span>

#include "abr/rate_policy.h"
#include "server/handler.h"
#include "tcpinfo/congestion_event.h"
#include "tcpinfo/tcp_sample.h"

namespace app {

/// What ViewerControl knows beside the kernel's newest word.
struct ObservationInputs {
  std::span<const tcpinfo::CongestionEvent> events;
  std::span<const abr::Delivered> frames;
  bool paced = false;             ///< TCP keeps to TcpSample::pacing
  bool bbr = false;               ///< so does its congestion control, which has no ssthresh
  bool receiver_limited = false;  ///< the viewer does not read
  base::Duration frame_interval{};
  base::ByteCount padding;  ///< not acknowledged
  abr::Transport transport;
};

/// The kernel's words in the controller's.
abr::Observation observe(const ObservationInputs& inputs, const tcpinfo::TcpSample& sample,
                         const server::ViewerState& viewer);

}  // namespace app
