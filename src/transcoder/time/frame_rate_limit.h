#pragma once

#include <optional>

#include "media/frame.h"

namespace transcoder {

/// Keeps at most `max_rate` pictures per second and drops the others evenly: 60 -> 30 keeps every
/// second one, 50 -> 30 three of five. Slower sources, steady or variable, pass untouched. Pure.
class FrameRateLimit {
 public:
  explicit FrameRateLimit(double max_rate);

  /// Whether the picture at `pts` is kept; call once for each, in order.
  bool admit(media::Pts pts);

 private:
  const media::Pts interval_;
  std::optional<media::Pts> next_;  // the next picture's place on the even grid
};

}  // namespace transcoder
