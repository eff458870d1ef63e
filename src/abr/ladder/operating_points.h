#pragma once

#include <cstddef>
#include <optional>

#include "base/units.h"

namespace abr {

struct PointSettings {
  /// Least bits that each pixel should have; 0: all frames at full size whatever the rate. Of
  /// 720p at 25/s (x264 veryfast, 60 ms buffer, shown at 720p; mandelbrot with noise and testsrc2
  /// of FFmpeg: SSIM of each, mean PSNR):
  ///
  ///   kbit/s   1 x 1            3/4 x 1          1/2 x 1          1 x 1/2          1/2 x 1/2
  ///   300      .776 .851 19.7   .818 .939 28.4   .862 .942 29.8   .800 .922 25.5   .866 .929 27.1
  ///   600      .831 .951 29.9   .882 .960 31.4   .884 .955 30.8   .849 .945 26.8   .882 .936 27.4
  ///
  /// The best have 0.046 to 0.1. Fewer frames are the last resort: what moves is not where it
  /// was.
  double bits_per_pixel = 0.05;

  bool operator==(const PointSettings&) const = default;
};

/// What is left of the stream's frames at a low rate.
struct OperatingPoint {
  double scale = 1;    ///< of width and of height
  unsigned every = 1;  ///< of so many frames one is shown
  bool operator==(const OperatingPoint&) const = default;
};

/// The operating point of one encode group: the largest one at which its rate still gives each
/// pixel `bits_per_pixel`, changed only when the rate has asked for another one for kDwell without
/// a break, and upwards only when it is kHysteresis above what that one needs: a new size costs an
/// encoder and a keyframe.
///
///   scale x frames     1 x 1    3/4 x 1    1/2 x 1    1/3 x 1    1/3 x 1/2
///   of 720p at 30/s      1.38     0.78       0.35       0.15       (least)     Mbit/s and more
///
/// The sizes are those of Apple's HLS authoring specification for 720p: 540, 360 and 240 lines.
///
/// Pure.
class OperatingPoints {
 public:
  static constexpr double kHysteresis = 1.3;
  static constexpr base::Duration kDwell = std::chrono::seconds{3};

  explicit OperatingPoints(PointSettings settings) : settings_{settings} {}

  /// The point at `now`, for a group of this rate. `pixels_per_second`: of the whole frame at
  /// full rate; 0: not known yet, no point is chosen. The first choice does not dwell. Call
  /// several times per second.
  OperatingPoint update(base::BitRate rate, double pixels_per_second, base::Time now);

 private:
  std::size_t wanted(base::BitRate rate, double pixels_per_second) const;

  const PointSettings settings_;
  std::optional<std::size_t> current_;  ///< index of the point; empty: none chosen yet
  base::Time agreed_{};                 ///< when the rate last asked for the current one
};

}  // namespace abr
