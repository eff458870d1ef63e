#include "transcoder/testsource/test_pattern.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <random>
#include <string>

#include "transcoder/testsource/pixel_rows.h"
#include "transcoder/testsource/test_code.h"

namespace transcoder {

namespace {

/// Size of the grain in bytes. Each row of each picture takes its grain from another offset; a
/// smaller size would repeat visibly, a larger one takes more memory.
constexpr std::uint32_t kGrainBytes = 1 << 16;
/// Standard deviation of the grain, in luma levels. With it x264 needs about 6 Mbit/s for 720p30 at
/// CRF 18 (measured, preset veryfast), so rate control has something to do.
constexpr double kGrainDeviation = 1.25;

// As fractions of the picture's height. Larger text stays readable at lower rates; smaller text
// hides less of the picture.
constexpr double kLargeText = 0.115;
constexpr double kMediumText = 0.052;
constexpr double kSmallText = 0.03;
constexpr double kPictureMargin = 0.06;
constexpr double kDialRadius = 0.075;

Stamp disc(double radius, double hole, double rim) {
  const int size = static_cast<int>(std::ceil(radius + rim)) * 2;
  return Stamp{size, size, rim, [=](double x, double y) {
                 const double r = std::hypot(x - size / 2.0, y - size / 2.0);
                 return std::max(r - radius, hole - r);
               }};
}

std::vector<std::uint8_t> make_grain(const TestOptions& options) {
  std::mt19937 random{1};
  std::vector<std::uint8_t> grain(kGrainBytes +
                                  static_cast<std::size_t>(whole_blocks(options.size.width)));
  if (options.content == TestOptions::Content::kNoise) {
    std::uniform_int_distribution<int> any{16, 235};
    for (auto& value : grain) value = static_cast<std::uint8_t>(any(random));
  } else {
    std::normal_distribution<double> film{0, kGrainDeviation};
    for (auto& value : grain) value = static_cast<std::uint8_t>(std::lround(film(random)));
  }
  return grain;
}

/// A pseudo-random offset in the grain for one row of one picture.
std::uint32_t grain_offset(std::uint32_t frame, int line) {
  std::uint32_t v = frame * 0x9e3779b9u + static_cast<std::uint32_t>(line) * 0x85ebca6bu;
  v = (v ^ (v >> 15)) * 0x2c1b3c6du;
  return (v ^ (v >> 13)) % kGrainBytes;
}

std::string clock_text(std::chrono::system_clock::time_point wall) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(wall.time_since_epoch());
  const std::tm local = fmt::localtime(std::chrono::system_clock::to_time_t(wall));
  return fmt::format("{:%H:%M:%S}.{:03}", local, ms.count() % 1000);
}

}  // namespace

TestPattern::TestPattern(const TestOptions& options, const std::stop_token& stop)
    : options_{options},
      grain_{make_grain(options)},
      large_{static_cast<int>(options.size.height * kLargeText)},
      medium_{static_cast<int>(options.size.height * kMediumText)},
      small_{static_cast<int>(options.size.height * kSmallText)},
      ring_{disc(options.size.height * kDialRadius, options.size.height * kDialRadius * 0.88, 3)},
      hand_{disc(options.size.height * kDialRadius * 0.17, 0, 3)},
      light_{disc(options.size.height * kDialRadius * 0.5, 0, 3)} {
  if (options.content != TestOptions::Content::kNoise) landscape_.emplace(options.size, stop);
}

void TestPattern::draw(const Canvas& canvas, const TestMoment& moment) const {
  draw_background(canvas, moment.frame);
  draw_clock(canvas, moment);
  draw_dial(canvas, moment);
  const auto since_boot = moment.captured.time_since_epoch();
  draw_test_code({moment.frame, std::chrono::duration_cast<std::chrono::milliseconds>(since_boot)},
                 canvas.plane[0], canvas.stride[0], canvas.width, canvas.height);
  const int code = canvas.height / kTestCodeHeightDivisor;
  for (const std::size_t plane : {1, 2}) {
    const auto stride = static_cast<std::size_t>(canvas.stride[plane]);
    const auto top = static_cast<std::size_t>((canvas.height - code) / 2);
    std::memset(canvas.plane[plane] + top * stride, 128, (canvas.height / 2 - top) * stride);
  }
}

void TestPattern::draw_background(const Canvas& canvas, std::uint32_t frame) const {
  switch (options_.content) {
    case TestOptions::Content::kNoise:
      return draw_noise(canvas, frame);
    case TestOptions::Content::kStatic:
      return landscape_->draw(canvas, 0);
    case TestOptions::Content::kMotion:
      landscape_->draw(canvas, frame);
      return add_grain(canvas, frame);
  }
}

void TestPattern::draw_noise(const Canvas& canvas, std::uint32_t frame) const {
  for (const std::size_t plane : {0, 1, 2}) {
    const int shift = plane == 0 ? 0 : 1;
    for (int y = 0; y < canvas.height >> shift; ++y) {
      const int line = y + static_cast<int>(plane) * canvas.height;
      std::memcpy(canvas.plane[plane] + y * canvas.stride[plane],
                  grain_.data() + grain_offset(frame, line),
                  static_cast<std::size_t>(canvas.width >> shift));
    }
  }
}

void TestPattern::add_grain(const Canvas& canvas, std::uint32_t frame) const {
  for (int y = 0; y < canvas.height; ++y) {
    add_row(canvas.plane[0] + y * canvas.stride[0], grain_.data() + grain_offset(frame, y),
            canvas.width);
  }
}

void TestPattern::draw_clock(const Canvas& canvas, const TestMoment& moment) const {
  const auto share = [&](double s) { return static_cast<int>(canvas.height * s); };
  const int left = share(kPictureMargin);
  medium_.put(canvas, left, share(kPictureMargin), "SYMCAST");
  small_.put(canvas, left, share(kPictureMargin + 0.085),
             fmt::format("TEST {}X{} {:g} FPS", canvas.width, canvas.height, options_.frame_rate));
  const auto centred = [&](const StrokeFont& font, double y, const std::string& text) {
    font.put(canvas, (canvas.width - font.width(text)) / 2, share(y), text);
  };
  centred(large_, 0.40, clock_text(moment.wall));
  centred(medium_, 0.58, fmt::format("FRAME {:07}", moment.frame));
}

void TestPattern::draw_dial(const Canvas& canvas, const TestMoment& moment) const {
  const double radius = canvas.height * kDialRadius;
  const double x = canvas.width - canvas.height * kPictureMargin - radius;
  const double y = canvas.height * kPictureMargin + radius;
  const auto centred = [&](const Stamp& stamp, double cx, double cy) {
    stamp.put(canvas, static_cast<int>(cx) - stamp.width() / 2,
              static_cast<int>(cy) - stamp.height() / 2);
  };
  centred(ring_, x, y);
  if (moment.beep) centred(light_, x, y);
  const double angle = 2 * std::numbers::pi * moment.turn;
  centred(hand_, x + radius * 0.94 * std::sin(angle), y - radius * 0.94 * std::cos(angle));
}

}  // namespace transcoder
