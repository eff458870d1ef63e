#pragma once

#include <cstddef>
#include <optional>

#include "base/units.h"

namespace abr {

struct PointSettings {
  /// Bits that each pixel should have at least. 0 keeps all frames at full size at any rate.
  /// Measured for 720p at 25 frames per second (x264 veryfast, 60 ms buffer, displayed at 720p;
  /// FFmpeg's mandelbrot with noise and testsrc2: SSIM of each, mean PSNR):
  ///
  ///   kbit/s   1 x 1            3/4 x 1          1/2 x 1          1 x 1/2          1/2 x 1/2
  ///   300      .776 .851 19.7   .818 .939 28.4   .862 .942 29.8   .800 .922 25.5   .866 .929 27.1
  ///   600      .831 .951 29.9   .882 .960 31.4   .884 .955 30.8   .849 .945 26.8   .882 .936 27.4
  ///
  /// The best points have 0.046 to 0.1. Fewer frames are the last resort, because a repeated frame
  /// shows moving objects in the wrong place.
  double bits_per_pixel = 0.05;

  bool operator==(const PointSettings&) const = default;
};

/// The size and the number of frames that a group encodes at a low rate.
struct OperatingPoint {
  double scale = 1;    ///< of the width and the height
  unsigned every = 1;  ///< every n-th frame is encoded
  bool operator==(const OperatingPoint&) const = default;
};

/// Chooses the operating point of one encode group: the largest at which its rate still has
/// `bits_per_pixel`. The point changes only after the rate has called for another one for
/// kPointDwell without a break, and upwards only if the rate is kUpwardMargin times the need: a new
/// size costs an encoder and a keyframe. No I/O, no clock.
///
///   scale x frames     1 x 1    3/4 x 1    1/2 x 1    1/3 x 1    1/3 x 1/2
///   of 720p at 30/s      1.38     0.78       0.35       0.15       (least)     Mbit/s and more
///
/// The sizes are those of Apple's HLS authoring specification for 720p: 540, 360 and 240 lines.
class OperatingPoints {
 public:
  /// With a smaller margin a rate near a limit switches to and fro, with a larger one frames stay
  /// small though the rate could carry larger ones. Not measured against other values.
  static constexpr double kUpwardMargin = 1.3;
  /// A shorter time lets every dip of the rate cost a keyframe, a longer one shows more frames with
  /// too few bits. Not measured against other values.
  static constexpr base::Duration kPointDwell = std::chrono::seconds{3};

  explicit OperatingPoints(PointSettings settings) : settings_{settings} {}

  /// The point at `now` for a group of this rate. `pixels_per_second`: of full frames at the full
  /// frame rate; 0 while unknown, when no point is chosen. The first choice takes effect at once.
  /// Call several times per second.
  OperatingPoint update(base::BitRate rate, double pixels_per_second, base::Time now);

 private:
  std::size_t wanted(base::BitRate rate, double pixels_per_second) const;

  const PointSettings settings_;
  std::optional<std::size_t> current_;  ///< index of the point; nullopt: none chosen yet
  base::Time agreed_{};                 ///< when the rate last called for the current point
};

}  // namespace abr
