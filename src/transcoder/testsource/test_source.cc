#include "transcoder/testsource/test_source.h"

#include <cmath>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "transcoder/picture/picture_pool.h"
#include "transcoder/testsource/test_pattern.h"
#include "transcoder/testsource/test_tone.h"
#include "transcoder/time/pacer.h"

namespace transcoder {

namespace {

constexpr base::Duration kSecond = std::chrono::seconds{1};
constexpr media::Colour kBt709{1, 1, 1, false};

/// The wall-clock time at `time`, which is only just past.
std::chrono::system_clock::time_point wall_clock(base::Time time) {
  const auto ago = base::Clock::now() - time;
  return std::chrono::system_clock::now() -
         std::chrono::duration_cast<std::chrono::system_clock::duration>(ago);
}

/// Returns false if `stop` was requested.
bool sleep_until(base::Time due, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock{mutex};
  wake.wait_until(lock, stop, due, [] { return false; });
  return !stop.stop_requested();
}

media::Frame as_frame(const PicturePool::Picture& picture, media::Pts pts, base::Time captured) {
  const auto& canvas = picture.canvas;
  return {.format = {canvas.width, canvas.height, 1, 1, kBt709},
          .plane = {canvas.plane[0], canvas.plane[1], canvas.plane[2]},
          .stride = canvas.stride,
          .memory = picture.memory,
          .number = 0,
          .pts = pts,
          .captured = captured};
}

}  // namespace

TestSource::TestSource(TestOptions options, const VideoSettings& limits) : options_{options} {
  options_.size = fit_picture(options_.size, limits);
}

TestSource::~TestSource() { stop(); }

void TestSource::start(std::shared_ptr<Listener> listener) {
  thread_ = std::jthread{[this, listener = std::move(listener)](const std::stop_token& stop) {
    run(*listener, stop);
  }};
}

void TestSource::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void TestSource::run(Listener& listener, const std::stop_token& stop) {
  const TestPattern pattern{options_, stop};
  PicturePool pool{options_.size};
  Pacer pacer{Pacer::SourceKind::kFile};
  const auto phase = wall_clock(base::Clock::now()).time_since_epoch() % kSecond;
  const TestTone tone{phase};
  std::int64_t next_sample = 0;
  for (std::uint32_t i = 0;; ++i) {
    const media::Pts pts = base::from_seconds(i / options_.frame_rate);
    const auto due = pacer.picture(pts, base::Clock::now());
    if (!sleep_until(due, stop)) return;
    const auto picture = pool.take();
    const auto turn = base::seconds((pts + phase) % kSecond);
    pattern.draw(picture.canvas, {i, due, wall_clock(due), turn, tone.beeps(pts)});
    listener.on_picture(as_frame(picture, pts, due));
    if (!options_.audio) continue;
    const auto until = std::llround((i + 1) / options_.frame_rate * media::kAudioRate);
    listener.on_audio(tone.samples(next_sample, until), due);
    next_sample = until;
  }
}

}  // namespace transcoder
