#pragma once

#include <chrono>
#include <optional>

#include "base/ring.h"
#include "base/units.h"

namespace app {

/// The rate at which bytes were sent to a viewer in the last second, from samples of the total. No
/// I/O, no clock.
class SendRate {
 public:
  /// Adds a sample; `sent` is the total of bytes. Returns the rate since the oldest sample of the
  /// last second, or nullopt if there is no such sample.
  std::optional<base::BitRate> sample(base::ByteCount sent, base::Time now) {
    while (!samples_.empty() && now - samples_[0].at > kRateWindow) samples_.pop_front();
    samples_.push_back({sent, now});
    const auto& first = samples_[0];
    if (now <= first.at) return {};
    return base::BitRate::of(sent - first.sent, now - first.at);
  }

 private:
  struct Sample {
    base::ByteCount sent;
    base::Time at;
  };
  // A second, and 20 ms by which a sample may be late (half a frame interval). A longer window
  // smooths the rate more and shows changes later.
  static constexpr base::Duration kRateWindow = std::chrono::milliseconds{1020};

  base::Ring<Sample> samples_;  ///< those within kRateWindow
};

}  // namespace app
