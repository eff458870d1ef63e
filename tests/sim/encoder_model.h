#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "base/units.h"

namespace sim {

/// An encoder that follows its target like transcoder/encode/x264_encoder: capped CRF with one
/// frame of buffer stays a little below the cap, and far below it for content that needs less
/// (bench/encoder).
class EncoderModel {
 public:
  struct Settings {
    base::BitRate content = base::BitRate::mbps(100);  ///< the most that frames need
    /// Relative standard deviation of a frame's size. The mean is twice that below the target.
    double noise = 0.05;
    base::Duration time = std::chrono::milliseconds{5};  ///< mean; 0.5 to 1.5 times that
    double mean_share() const { return 1 - 2 * noise; }
  };

  EncoderModel(const Settings& settings, std::uint64_t seed) : settings_{settings}, random_{seed} {}

  /// Size of the next frame. `recovers`: it does not reference dropped frames.
  base::ByteCount size(base::BitRate target, base::Duration frame_interval, bool recovers) {
    const auto cap = std::min(target, settings_.content) * frame_interval;
    std::normal_distribution<double> noise{settings_.mean_share(), settings_.noise};
    const double share =
        std::clamp(noise(random_), kMinFrameShare, 1.0) * (recovers ? kRecoveryFactor : 1);
    return std::max(
        kMinFrameSize,
        base::ByteCount{static_cast<std::int64_t>(static_cast<double>(cap.bytes()) * share)});
  }
  base::Duration time() {
    std::uniform_int_distribution<base::Duration::rep> more{0, settings_.time.count()};
    return settings_.time / 2 + base::Duration{more(random_)};
  }

 private:
  static constexpr double kMinFrameShare = 0.3;
  static constexpr double kRecoveryFactor = 1.4;  // x264: 1.23 to 1.46 were measured
  static constexpr base::ByteCount kMinFrameSize{300};

  Settings settings_;
  std::mt19937_64 random_;
};

}  // namespace sim
