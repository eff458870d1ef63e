#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "base/units.h"

namespace sim {

/// An encoder that obeys its target as transcoder/encode/x264_encoder does: capped CRF with one
/// frame of buffer stays below the cap by a little, and far below it where the content needs no
/// more (bench/encoder).
class EncoderModel {
 public:
  struct Settings {
    base::BitRate content = base::BitRate::mbps(100);  ///< more than that the frames do not need
    /// Standard deviation of a frame's size, whose mean is twice that below the target.
    double noise = 0.05;
    base::Duration time = std::chrono::milliseconds{5};  ///< from half of it to 1.5 times
    double mean_share() const { return 1 - 2 * noise; }
  };

  EncoderModel(const Settings& settings, std::uint64_t seed) : settings_{settings}, random_{seed} {}

  /// Of the next frame. `recovers_from`: it does not refer to those before it, which were dropped.
  base::ByteCount size(base::BitRate target, base::Duration frame_interval, bool recovers_from) {
    const auto cap = std::min(target, settings_.content) * frame_interval;
    std::normal_distribution<double> noise{settings_.mean_share(), settings_.noise};
    const double share =
        std::clamp(noise(random_), kLeastShare, 1.0) * (recovers_from ? kRecovering : 1);
    return std::max(
        kLeast,
        base::ByteCount{static_cast<std::int64_t>(static_cast<double>(cap.bytes()) * share)});
  }
  base::Duration time() {
    std::uniform_int_distribution<base::Duration::rep> more{0, settings_.time.count()};
    return settings_.time / 2 + base::Duration{more(random_)};
  }

 private:
  static constexpr double kLeastShare = 0.3;
  static constexpr double kRecovering = 1.4;  // 1.23 to 1.46 were measured with x264
  static constexpr base::ByteCount kLeast{300};

  Settings settings_;
  std::mt19937_64 random_;
};

}  // namespace sim
