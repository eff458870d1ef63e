#include "transcoder/time/media_clock.h"

#include <ctime>
#include <utility>

namespace transcoder {

namespace {

/// A shorter difference is one between two readings of Reading::now().
constexpr base::Duration kMinSuspend = std::chrono::milliseconds{100};
/// Readings of the clocks that take no longer are one moment, compared with a frame.
constexpr base::Duration kMaxReadingTime = std::chrono::microseconds{50};
constexpr int kReadingAttempts = 10;

base::Duration read(clockid_t clock) {
  std::timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

bool is_step(base::Duration error) { return std::chrono::abs(error) > MediaClock::kMaxDrift; }

}  // namespace

/// Another process may run between two readings, so the quickest of some is taken.
MediaClock::Reading MediaClock::Reading::now() {
  Reading best;
  base::Duration shortest = base::Duration::max();
  for (int i = 0; i < kReadingAttempts && shortest > kMaxReadingTime; ++i) {
    const auto before = base::Clock::now();
    const Reading reading{before, read(CLOCK_BOOTTIME), read(CLOCK_REALTIME)};
    const auto took = base::Clock::now() - before;
    if (took < shortest) {
      best = reading;
      shortest = took;
    }
  }
  return best;
}

MediaClock::MediaClock(const Reading& start)
    : asleep_{start.boot - start.monotonic.time_since_epoch()},
      offset_{(start.unix - start.monotonic.time_since_epoch()).count()} {
  anchor_.set(start.monotonic.time_since_epoch(), start.unix);
}

base::Duration MediaClock::date_offset(const Reading& now) const {
  const auto error = now.unix - date_offset() - at(now.monotonic);
  return date_offset() + (is_step(error) ? error : base::Duration{});
}

MediaClock::Change MediaClock::update(const Reading& now) {
  const auto monotonic = now.monotonic.time_since_epoch();
  Change change;
  if (const auto asleep = now.boot - monotonic; asleep - asleep_ > kMinSuspend) {
    change.suspended = asleep - std::exchange(asleep_, asleep);
    suspended_ += change.suspended.count();
    date_offset_ += change.suspended.count();
  }
  const auto error = now.unix - date_offset() - anchor_.place(monotonic);
  if (is_step(error)) {
    change.set = error;
    date_offset_ += error.count();
  } else {
    anchor_.follow(monotonic, anchor_.place(monotonic) + error);
  }
  offset_ = (anchor_.place(monotonic) - monotonic).count();
  return change;
}

}  // namespace transcoder
