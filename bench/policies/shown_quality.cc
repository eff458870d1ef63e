// Quality of the pictures that a viewer saw: compares those of a recording with the source's, which
// it draws again.
//
//   shown_quality "?size=640x360&content=motion" RECORDING.ts < PLAN > RESULT
//
// Each line of the plan is a moment: NUMBER CAPTURED SHOWN, the number and the capture time
// (seconds of CLOCK_MONOTONIC) of the source's picture, and the number of the picture that was on
// the screen at that moment, which is the same or an older one. SHOWN never falls. Each line of the
// result is the luma SSIM of that moment. Numbers are read from the pictures themselves
// (test_code.h); if a picture is unreadable, the older one stays on the screen. Run this on the
// machine of the recording, after it, without setting the clock in between, because the source's
// pictures show the time of day.
#include <chrono>
#include <cmath>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/units.h"
#include "recording.h"
#include "screen.h"
#include "ssim.h"
#include "test_code_reader.h"
#include "transcoder/picture/picture_pool.h"
#include "transcoder/picture/scaler.h"
#include "transcoder/testsource/test_options.h"
#include "transcoder/testsource/test_pattern.h"
#include "transcoder/testsource/test_tone.h"

namespace {

using transcoder::TestOptions;

constexpr base::Duration kSecond = std::chrono::seconds{1};
/// Share of the moments whose picture may be missing or unreadable. More than that means a plan of
/// another recording, or a decoder that lost sync.
constexpr double kMissing = 0.01;

struct Moment {
  std::uint32_t number = 0;
  double captured = 0;
  std::uint32_t shown = 0;
};

std::optional<Moment> read_moment() {
  Moment moment;
  if (std::cin >> moment.number >> moment.captured >> moment.shown) return moment;
  return std::nullopt;
}

/// Draws the source's pictures again.
class Source {
 public:
  explicit Source(const TestOptions& options)
      : pattern_{options},
        picture_{transcoder::PicturePool{options.size}.take()},
        wall_less_monotonic_{std::chrono::system_clock::now().time_since_epoch() -
                             base::Clock::now().time_since_epoch()} {}

  control::Luma draw(std::uint32_t number, double captured) {
    const base::Duration since_boot = base::from_seconds(captured);
    const base::Duration wall = since_boot + wall_less_monotonic_;
    using Wall = std::chrono::system_clock;
    pattern_.draw(picture_.canvas,
                  {.frame = number,
                   .captured = base::Time{since_boot},
                   .wall = Wall::time_point{std::chrono::duration_cast<Wall::duration>(wall)},
                   .turn = base::seconds(wall % kSecond),
                   .beep = transcoder::TestTone{wall % kSecond}.beeps({})});
    const auto& canvas = picture_.canvas;
    return {canvas.plane[0], canvas.stride[0], canvas.width, canvas.height};
  }

 private:
  transcoder::TestPattern pattern_;
  transcoder::PicturePool::Picture picture_;
  base::Duration wall_less_monotonic_;
};

/// Reads those pictures of the recording whose code is readable, with their numbers.
control::Screen::Next reader(control::Recording& recording) {
  return [&recording]() -> std::optional<control::NumberedFrame> {
    while (auto frame = recording.next()) {
      const auto& format = frame->format;
      const auto code = transcoder::test::read_test_code(
          {frame->plane[0], frame->stride[0], format.width, format.height});
      if (code) return control::NumberedFrame{code->frame, std::move(frame)};
    }
    return std::nullopt;
  };
}

/// Reads moments from stdin and prints the SSIM of each to stdout.
void compare(Source& source, control::Screen& screen, transcoder::PictureSize size) {
  transcoder::Scaler scaler;  // scales as a player would
  int moments = 0;
  int missing = 0;
  while (const auto moment = read_moment()) {
    const auto& shown = screen.show(moment->shown);
    const auto stretched = scaler.scale(shown.frame, size);
    const control::Luma luma{stretched->plane[0], stretched->stride[0], size.width, size.height};
    std::cout << control::ssim(source.draw(moment->number, moment->captured), luma) << '\n';
    ++moments;
    missing += shown.number != moment->shown ? 1 : 0;
  }
  if (missing > kMissing * moments) {
    throw std::runtime_error{std::to_string(missing) + " of " + std::to_string(moments) +
                             " pictures of the plan are not in the recording"};
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: shown_quality OPTIONS-OF-TEST-SOURCE RECORDING < PLAN\n";
    return 2;
  }
  const auto options = transcoder::parse_test_options(argv[1]);
  if (!options) throw std::runtime_error{options.error()};
  Source source{*options};
  control::Recording recording{argv[2]};
  control::Screen screen{reader(recording)};
  compare(source, screen, options->size);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "shown_quality: " << error.what() << '\n';
  return 1;
}
