#include "transcoder/time/timeline.h"

#include <algorithm>

namespace transcoder {

namespace {

/// A picture farther from the wall clock shows that the source's clock jumped, or that pictures
/// stalled on their way. Jitter of live networks stays below (SRT and RTSP buffer 0.2 s by
/// default); a restarted encoder does not.
constexpr base::Duration kMaxClockError = std::chrono::seconds{1};

/// A picture at most this far back is out of order; one farther back is a jump. A decoder reorders
/// up to 4 pictures, 160 ms at 25 per second.
constexpr base::Duration kMaxReordering = std::chrono::milliseconds{200};

/// A live source often begins with a burst of data that waited for the first keyframe, so its first
/// picture is late compared with the following ones. With SRT and RTSP the burst was over in 0.5 s.
constexpr base::Duration kSettlingTime = std::chrono::seconds{1};

/// Audio may lead or trail the pictures because of muxing (0.7 s with ffmpeg) and decoding delay.
/// Audio farther off belongs to a clock that the pictures have not jumped to yet.
constexpr base::Duration kMaxAudioError = std::chrono::seconds{2};

/// Pictures behind a repeat for longer are late for good. With SRT and RTSP, bursts after a pause
/// are over by then. A longer time shows a frozen picture for longer.
constexpr base::Duration kMaxBehind = std::chrono::milliseconds{500};

}  // namespace

bool Timeline::is_off(base::Duration source, base::Duration early) const {
  return source < last_source_ - kMaxReordering || early > kMaxClockError ||
         early < -kMaxClockError;
}

/// Whether the source's clock went back, or on by more than the time that has passed. Otherwise
/// only the arrival has changed.
bool Timeline::jumped(base::Duration source, media::Pts wall) const {
  const auto step = source - last_source_;
  return step < -kMaxReordering || step - (wall - last_wall_) > kMaxClockError;
}

void Timeline::anchor(base::Duration source, media::Pts wall) {
  anchor_.set(source, wall);
  settled_ = wall + kSettlingTime;
  anchored_ = true;
  behind_since_.reset();
}

std::optional<media::Pts> Timeline::advance_to(media::Pts pts) {
  if (last_ && pts <= *last_) return std::nullopt;
  last_ = pts;
  return pts;
}

/// For each picture in order that is behind a repeat, and so is not shown. Repeats would go on, and
/// all later pictures would be behind them as well.
bool Timeline::stays_behind(media::Pts wall) {
  if (!behind_since_) behind_since_ = wall;
  return wall - *behind_since_ >= kMaxBehind;
}

std::optional<media::Pts> Timeline::picture(base::Duration source, base::Time captured) {
  const media::Pts wall = clock_.at(captured);
  const auto early = anchor_.place(source) - wall;
  if (!anchored_) {
    anchor(source, wall);
  } else if (wall < settled_ && early > base::Duration{0}) {
    anchor_.set(source, wall);
  } else if (is_off(source, early)) {
    ++(jumped(source, wall) ? jumps_ : stalls_);
    anchor(source, wall);
  } else {
    anchor_.follow(source, wall);
  }
  const bool in_order = source > last_source_;
  last_source_ = source;
  last_wall_ = wall;
  if (const auto pts = advance_to(anchor_.place(source))) {
    behind_since_.reset();
    return pts;
  }
  if (!in_order || !stays_behind(wall)) return std::nullopt;
  ++stalls_;
  anchor(source, wall);
  return advance_to(wall);
}

std::optional<media::Pts> Timeline::audio(base::Duration source, base::Time captured) const {
  if (!anchored_) return std::nullopt;
  const media::Pts pts = anchor_.place(source);
  const auto error = pts - clock_.at(captured);
  if (pts < media::Pts{0} || error > kMaxAudioError || error < -kMaxAudioError) return std::nullopt;
  return pts;
}

std::optional<media::Pts> Timeline::repeat(base::Time now) { return advance_to(clock_.at(now)); }

}  // namespace transcoder
