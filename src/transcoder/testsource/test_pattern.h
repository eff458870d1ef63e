#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/units.h"
#include "transcoder/picture/canvas.h"
#include "transcoder/testsource/landscape.h"
#include "transcoder/testsource/stamp.h"
#include "transcoder/testsource/stroke_font.h"
#include "transcoder/testsource/test_options.h"

namespace transcoder {

/// The content of one picture of the test source.
struct TestMoment {
  std::uint32_t frame = 0;                       ///< number of the picture
  base::Time captured{};                         ///< in the machine-readable code
  std::chrono::system_clock::time_point wall{};  ///< on the visible clock, in local time
  double turn = 0;                               ///< of the dial's hand: 0 to 1 in each second
  bool beep = false;                             ///< whether the dial lights up with the beep
};

/// Draws the pictures of the test source: landscape, grain, clock, frame counter, a dial that turns
/// once per second, and the code of test_code.h. Construction takes 0.2 s at 720p, a picture then
/// 1 ms.
class TestPattern {
 public:
  /// Returns early if `stop` is requested; the pattern is then unusable.
  explicit TestPattern(const TestOptions& options, const std::stop_token& stop = {});

  void draw(const Canvas& canvas, const TestMoment& moment) const;

 private:
  void draw_background(const Canvas& canvas, std::uint32_t frame) const;
  void draw_noise(const Canvas& canvas, std::uint32_t frame) const;
  void add_grain(const Canvas& canvas, std::uint32_t frame) const;
  void draw_clock(const Canvas& canvas, const TestMoment& moment) const;
  void draw_dial(const Canvas& canvas, const TestMoment& moment) const;

  const TestOptions options_;
  std::optional<Landscape> landscape_;
  std::vector<std::uint8_t> grain_;
  const StrokeFont large_;
  const StrokeFont medium_;
  const StrokeFont small_;
  const Stamp ring_;
  const Stamp hand_;
  const Stamp light_;
};

}  // namespace transcoder
