#include "transcoder/time/timeline.h"

#include <algorithm>

namespace transcoder {

namespace {

/// Farther from the wall clock than this, the source's clock has jumped: jitter of live networks
/// stays below (SRT and RTSP buffer 0.2 s by default), a restarted encoder does not.
constexpr base::Duration kMaxError = std::chrono::seconds{1};

/// Pictures this much back are stragglers, more is a jump: a decoder reorders up to 4 pictures,
/// 160 ms at 25 per second.
constexpr base::Duration kReordering = std::chrono::milliseconds{200};

/// A live source often begins with a burst of what had waited for the first keyframe; its first
/// picture is then the latest of all. Measured with SRT and RTSP: the burst is over in 0.5 s.
constexpr base::Duration kSettling = std::chrono::seconds{1};

/// Audio may lead or trail the pictures by muxing (0.7 s with ffmpeg) and decoding delay; what is
/// farther off belongs to a clock that the pictures have not jumped to yet.
constexpr base::Duration kMaxAudioError = std::chrono::seconds{2};

}  // namespace

bool Timeline::jumped(base::Duration source, base::Duration early) const {
  return source < last_source_ - kReordering || early > kMaxError || early < -kMaxError;
}

void Timeline::anchor(base::Duration source, media::Pts wall) {
  anchor_.set(source, wall);
  settled_ = wall + kSettling;
  anchored_ = true;
}

std::optional<media::Pts> Timeline::advance_to(media::Pts pts) {
  if (last_ && pts <= *last_) return std::nullopt;
  last_ = pts;
  return pts;
}

std::optional<media::Pts> Timeline::picture(base::Duration source, base::Time captured) {
  const media::Pts wall = captured - epoch_;
  const auto early = anchor_.place(source) - wall;
  if (!anchored_) {
    anchor(source, wall);
  } else if (wall < settled_ && early > base::Duration{0}) {
    anchor_.set(source, wall);
  } else if (jumped(source, early)) {
    anchor(source, wall);
    ++jumps_;
  } else {
    anchor_.follow(source, wall);
  }
  last_source_ = source;
  return advance_to(anchor_.place(source));
}

std::optional<media::Pts> Timeline::audio(base::Duration source, base::Time captured) const {
  if (!anchored_) return std::nullopt;
  const media::Pts pts = anchor_.place(source);
  const auto error = pts - (captured - epoch_);
  if (pts < media::Pts{0} || error > kMaxAudioError || error < -kMaxAudioError) return std::nullopt;
  return pts;
}

std::optional<media::Pts> Timeline::repeat(base::Time now) { return advance_to(now - epoch_); }

}  // namespace transcoder
