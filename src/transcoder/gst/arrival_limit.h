#pragma once

#include <optional>

#include "base/units.h"

namespace transcoder {

/// Limits the pictures per second of a source before they are decoded, whatever their timestamps
/// say. More are dropped; a sender of a great many is also held up, for it costs CPU time to drop
/// them. No I/O, no clock.
class ArrivalLimit {
 public:
  /// `max_rate`: pictures per second.
  explicit ArrivalLimit(double max_rate);

  struct Verdict {
    bool keep = true;
    base::Duration wait{};  ///< to hold the sender up
  };
  Verdict take(base::Time now);

  /// Whether pictures were dropped lately.
  bool exceeded(base::Time now) const;

 private:
  /// One per `interval`, and as many at once as a burst has.
  struct Rate {
    base::Duration interval;
    base::Time next{};  ///< when the last one taken was due

    base::Time due(base::Time now) const;
  };

  Rate kept_;
  Rate all_;
  std::optional<base::Time> dropped_;  ///< last
};

}  // namespace transcoder
