#pragma once

#include <atomic>
#include <chrono>

#include "base/units.h"
#include "media/frame.h"
#include "transcoder/time/clock_anchor.h"

namespace transcoder {

/// The clock of all streams of a server: Unix time, except that it never goes back, and does not
/// follow when somebody sets the system clock. So media times and segment numbers only rise, also
/// over a restart, and two servers agree on them. While the machine is suspended, media time stands
/// still, as the sources do: a gap of hours between two segments stops VLC 3 and GStreamer 1.22.
///
///   system clock           media time                    date offset
///   differs by < 2 s       follows by at most 500 ppm    -
///   is set (a step)        -                             takes up the difference
///   ran on in a suspend    -                             takes up the difference
///
/// Thread-safe; update() is called on one thread.
class MediaClock {
 public:
  /// The kernel's clocks at one moment.
  struct Reading {
    base::Time monotonic{};
    base::Duration boot{};  ///< CLOCK_BOOTTIME, which also counts while the machine is suspended
    base::Duration unix{};  ///< CLOCK_REALTIME

    static Reading now();
  };

  struct Change {
    base::Duration set{};        ///< by how much the system clock has been set
    base::Duration suspended{};  ///< for how long the machine was suspended
  };

  explicit MediaClock(const Reading& start = Reading::now());

  /// Compares the clocks. Call once per second. Returns what has happened since the last call.
  Change update(const Reading& now);

  /// Media time, since 1970, at a monotonic time.
  base::Duration at(base::Time monotonic) const {
    return monotonic.time_since_epoch() + base::Duration{offset_.load(std::memory_order_relaxed)};
  }
  /// The reverse of at().
  base::Time monotonic(base::Duration time) const {
    return base::Time{time - base::Duration{offset_.load(std::memory_order_relaxed)}};
  }
  /// The date of media time t is t + date_offset(). It is 0 until the system clock is set, or the
  /// machine suspended.
  base::Duration date_offset() const {
    return base::Duration{date_offset_.load(std::memory_order_relaxed)};
  }

  /// date_offset() as it will be once update() has seen `now`.
  base::Duration date_offset(const Reading& now) const;
  /// For how long the machine has been suspended since the start.
  base::Duration suspended() const {
    return base::Duration{suspended_.load(std::memory_order_relaxed)};
  }

  /// A larger difference is no drift, and no leap second: the system clock has been set.
  static constexpr base::Duration kMaxDrift = std::chrono::seconds{2};

 private:
  base::Duration asleep_;  ///< boot time less monotonic time
  ClockAnchor anchor_;     ///< from monotonic time to media time
  std::atomic<base::Duration::rep> offset_;
  std::atomic<base::Duration::rep> date_offset_{0};
  std::atomic<base::Duration::rep> suspended_{0};
};

/// The date that is `unix` after 1970.
inline std::chrono::system_clock::time_point date(base::Duration unix) {
  using Clock = std::chrono::system_clock;
  return Clock::time_point{std::chrono::duration_cast<Clock::duration>(unix)};
}

/// Maps monotonic time to one stream's pts. A pts is small, as players of endless streams expect.
/// A value. Thread-safe.
class StreamClock {
 public:
  /// `interval`: between two keyframes of the stream's clock. Pts 0 is a multiple of it in media
  /// time, the last one before `now`, so that segments begin at multiples, too. `clock` must
  /// outlive this object.
  StreamClock(const MediaClock& clock, base::Duration interval, base::Time now)
      : clock_{&clock}, origin_{clock.at(now) / interval * interval} {}

  media::Pts at(base::Time monotonic) const { return clock_->at(monotonic) - origin_; }
  base::Time monotonic(media::Pts pts) const { return clock_->monotonic(pts + origin_); }
  /// The media time of pts 0.
  base::Duration origin() const { return origin_; }
  base::Duration date_offset() const { return clock_->date_offset(); }
  base::Duration date_offset(const MediaClock::Reading& now) const {
    return clock_->date_offset(now);
  }
  base::Duration suspended() const { return clock_->suspended(); }
  /// The date of a pts; `offset` is a date_offset(), of now or of some time before.
  std::chrono::system_clock::time_point date(media::Pts pts, base::Duration offset) const {
    return transcoder::date(origin_ + pts + offset);
  }

 private:
  const MediaClock* clock_;
  base::Duration origin_;
};

}  // namespace transcoder
