// How good the picture was that a viewer saw: the source's pictures, drawn again, beside those of a
// recording.
//
//   shown_quality "?size=640x360&content=motion" RECORDING.ts < PLAN > RESULT
//
// Each line of the plan is a moment: NUMBER CAPTURED SHOWN, the number and the capture time
// (seconds of CLOCK_MONOTONIC) of the source's picture, and the number of the picture that was on
// the screen in its place: the same, or an older one where it was late. SHOWN never falls. Each
// line of the result is the luma's SSIM of that moment. A picture's number is read from the picture
// itself (test_code.h). To be run on the machine of the recording, after it, with the clock not set
// meanwhile: the source's pictures show the time of day.
#include <chrono>
#include <cmath>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "base/units.h"
#include "recording.h"
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

/// Draws the source's pictures once more.
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

/// The recording's pictures by their number, at the source's size: as a player would stretch them.
class Screen {
 public:
  Screen(const std::string& path, transcoder::PictureSize size) : recording_{path}, size_{size} {}

  /// Reads on until the picture of this number, or a later one where its code cannot be read.
  control::Luma show(std::uint32_t number) {
    while (!number_ || *number_ < number) advance();
    return {frame_->plane[0], frame_->stride[0], size_.width, size_.height};
  }

 private:
  void advance() {
    const auto decoded = recording_.next();
    if (!decoded) throw std::runtime_error{"a picture of the plan is not in the recording"};
    const auto& format = decoded->format;
    const auto code = transcoder::test::read_test_code(
        {decoded->plane[0], decoded->stride[0], format.width, format.height});
    if (!code) return;
    number_ = code->frame;
    frame_ = scaler_.scale(decoded, size_);
  }

  control::Recording recording_;
  transcoder::PictureSize size_;
  transcoder::Scaler scaler_;
  media::FramePtr frame_;
  std::optional<std::uint32_t> number_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: shown_quality OPTIONS-OF-TEST-SOURCE RECORDING < PLAN\n";
    return 2;
  }
  const auto options = transcoder::parse_test_options(argv[1]);
  if (!options) throw std::runtime_error{options.error()};
  Source source{*options};
  Screen screen{argv[2], options->size};
  while (const auto moment = read_moment()) {
    const auto shown = screen.show(moment->shown);
    std::cout << control::ssim(source.draw(moment->number, moment->captured), shown) << '\n';
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << "shown_quality: " << error.what() << '\n';
  return 1;
}
