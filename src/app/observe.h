#pragma once

#include <span>

#include "abr/rate_policy.h"
#include "server/handler.h"
#include "tcpinfo/congestion_event.h"
#include "tcpinfo/tcp_sample.h"

namespace app {

/// The kernel's words in the controller's: what one frame tick tells the policy.
abr::Observation observe(std::span<const tcpinfo::CongestionEvent> events,
                         const tcpinfo::TcpSample& sample, const server::ViewerState& viewer);

}  // namespace app
