#pragma once

#include "base/units.h"
#include "tcpinfo/tcp_sample.h"

namespace app {

/// Whether a viewer does not read: its window has held the kernel back for most of the time lately.
/// Samples may come close to each other, and the kernel counts that time in jiffies, so that it is
/// looked at over half a frame's interval at least. Pure.
class ReceiverLimit {
 public:
  bool update(const tcpinfo::TcpSample& sample, base::Duration frame_interval) {
    const auto elapsed = sample.at - at_;
    if (elapsed < frame_interval / 2) return limited_;
    limited_ = sample.receiver_limited - held_ > elapsed / 2;
    at_ = sample.at;
    held_ = sample.receiver_limited;
    return limited_;
  }

 private:
  base::Time at_{};
  base::Duration held_{};  ///< TcpSample's then
  bool limited_ = false;
};

}  // namespace app
