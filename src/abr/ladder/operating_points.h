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

/// The rate from which frames of full size have the bits that each pixel should have.
base::BitRate full_size_rate(const PointSettings& settings, double pixels_per_second);

/// The size and the number of frames that a group encodes at a low rate.
struct OperatingPoint {
  double scale = 1;    ///< of the width and the height
  unsigned every = 1;  ///< every n-th frame is encoded
  bool operator==(const OperatingPoint&) const = default;
};

/// Chooses the operating point of one encode group: the largest at which its rate still has
/// `bits_per_pixel`. A new size costs an encoder and a keyframe. No I/O, no clock.
///
///   down      once the rate has called for less for kFallTime
///   up        at once, if the rate is kUpwardMargin times the need, or near its maximum: a rate
///             rises only to what the path has carried
///   up again  if the last rise was taken back within kRiseTime: once the rate has called for it
///             for kDwell
///
///   scale x frames     1 x 1    3/4 x 1    1/2 x 1    1/3 x 1   1/3 x 1/2   1/4 x 1/4
///   of 720p at 30/s      1.38     0.78       0.35       0.15       0.08      (least)   Mbit/s
///
/// The sizes are those of Apple's HLS authoring specification for 720p: 540, 360 and 240 lines. At
/// 50 and 75 kbit/s, 180 lines 7.5 times per second have 0.3 to 0.7 dB more SSIM than 240 lines 15
/// times per second (bench/sizes).
class OperatingPoints {
 public:
  /// With a smaller margin a rate near a limit switches to and fro, with a larger one frames stay
  /// small though the rate could carry larger ones. On eight links, 1 changed the SSIM by 0.01 dB.
  static constexpr double kUpwardMargin = 1.3;
  /// Share of the maximum rate that is enough for a rise, whatever the margin says. A smaller one
  /// lets rates near the maximum switch to and fro; with 1, a rate that stays a little below it
  /// never rises. Not measured against other values.
  static constexpr double kNearMaximum = 0.95;
  /// A shorter time shows pictures that have bits enough in a smaller size, after each dip; a
  /// longer one shows blocks after each fall. On eight links, one second in ten had 0.55 dB less
  /// SSIM with 3 s than with 0.3 s.
  static constexpr base::Duration kFallTime = std::chrono::milliseconds{500};
  /// With a longer time, a return of the rate long after a rise has to wait for kDwell; with a
  /// shorter one, a rate that flaps slowly switches each time. Not measured against other values.
  static constexpr base::Duration kRiseTime = std::chrono::seconds{10};
  /// A longer time keeps frames small on a path that has become steady, a shorter one switches on
  /// one that flaps. Not measured against other values.
  static constexpr base::Duration kDwell = std::chrono::seconds{3};

  explicit OperatingPoints(PointSettings settings) : settings_{settings} {}

  /// A group's rate, and the highest that it can have.
  struct Rate {
    base::BitRate now;
    base::BitRate max;
  };
  /// The point at `now` for a group of this rate. `pixels_per_second`: of full frames at the full
  /// frame rate; 0 while unknown, when no point is chosen. The first choice takes effect at once.
  /// Call several times per second.
  OperatingPoint update(const Rate& rate, double pixels_per_second, base::Time now);

 private:
  std::size_t wanted(const Rate& rate, double pixels_per_second) const;

  const PointSettings settings_;
  std::optional<std::size_t> current_;  ///< index of the point; nullopt: none chosen yet
  base::Time no_more_{};                ///< when the rate last called for no larger point
  base::Time no_less_{};                ///< when it last called for no smaller one
  std::optional<base::Time> rose_;      ///< the last change up
  bool taken_back_ = false;             ///< the last change up, within kRiseTime
};

}  // namespace abr
