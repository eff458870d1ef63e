#pragma once

#include <optional>

#include "media/frame.h"

namespace transcoder {

/// Keeps at most `max_rate` pictures per second and drops the others evenly: 60 -> 30 keeps every
/// second one, 50 -> 30 three of five. Slower sources, steady or variable, pass unchanged. No I/O,
/// no clock.
class FrameRateLimit {
 public:
  /// `max_rate` in pictures per second.
  explicit FrameRateLimit(double max_rate);

  /// Whether to keep the picture at `pts`. Call once per picture, in order.
  bool admit(media::Pts pts);

 private:
  const media::Pts interval_;
  std::optional<media::Pts> next_;  // the next picture's grid point
};

}  // namespace transcoder
