#include "app/tcp/rto_max.h"

#include <algorithm>
#include <chrono>

#include "app/config/config.h"
#include "tcpinfo/socket_control.h"

namespace app {

namespace {

// The timer runs for the smoothed round trip and four times its variance (RFC 6298). The latter is
// less than the round trip except in jitter as long as the path; a queue that grows between two
// samples may add as much again.
constexpr int kMinRoundTrips = 3;
// A maximum of more is lowered again. The gap to kMinRoundTrips spares a system call whenever the
// round trip varies.
constexpr int kMaxRoundTrips = 6;
// A new maximum, between the two.
constexpr int kSetRoundTrips = 4;

}  // namespace

bool RtoMax::begin(int fd, base::Duration configured) {
  if (configured >= kKernelsRtoMax) return true;
  if (!tcpinfo::set_rto_max(fd, configured)) return false;
  configured_ = in_force_ = configured;
  return true;
}

void RtoMax::follow(int fd, base::Duration rtt) {
  const bool needed = kMinRoundTrips * rtt > in_force_;
  const bool wasteful = in_force_ > configured_ && kMaxRoundTrips * rtt < in_force_;
  if (in_force_ == base::Duration{} || rtt == base::Duration{} || !(needed || wasteful)) return;
  const auto wanted = std::clamp(kSetRoundTrips * rtt, configured_, kKernelsRtoMax);
  if (wanted != in_force_ && tcpinfo::set_rto_max(fd, wanted)) in_force_ = wanted;
}

}  // namespace app
