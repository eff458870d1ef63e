#pragma once

#include <utility>

#include "app/telemetry/metrics.h"
#include "base/units.h"

namespace app {

/// Reports to the metrics how late one viewer's frames are acknowledged, and how long after the
/// viewer's request the first one is.
class FrameDelays {
 public:
  FrameDelays(Metrics::Delays& metrics, base::Time requested)
      : metrics_{metrics}, requested_{requested} {}

  base::Time requested() const { return requested_; }

  void frame_delivered(base::Duration delay) { metrics_.frame_delivered(delay); }
  /// For each frame, with the time of its acknowledgement.
  void acknowledged(base::Time at) {
    if (!std::exchange(first_acknowledged_, true)) metrics_.joined(at - requested_);
  }

 private:
  Metrics::Delays& metrics_;
  const base::Time requested_;
  bool first_acknowledged_ = false;
};

}  // namespace app
