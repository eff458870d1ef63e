#include "server/write_merging.h"

#include <algorithm>
#include <utility>

namespace server {

namespace {

// The share of a period is judged at its end. A shorter period takes the burst of one keyframe for
// load; in a longer one viewers who join at once wait longer for relief.
constexpr base::Duration kPeriod = std::chrono::seconds{1};
// The passes may take this share of the loop's time before frames are merged. With half of it the
// loop would still keep up, but a keyframe is several times as large as other frames, and the
// encoders need the same CPUs.
constexpr double kMaxShare = 0.3;
// One frame less per write must leave the share below this: the room to kMaxShare keeps the number
// from going back and forth.
constexpr double kReleaseShare = 0.2;
// 100 ms at 60 frames per second.
constexpr unsigned kMaxFramesPerWrite = 6;

}  // namespace

void WriteMerging::passed(base::Time began, base::Time ended) {
  busy_ += ended - began;
  if (ended - since_ >= kPeriod) judge(ended);
}

unsigned WriteMerging::frames(base::Duration interval) {
  if (interval <= base::Duration{}) return 1;
  // Rounded, because intervals vary: three frames at 30 per second, also if one is a little late.
  const auto nearest = (kMaxDelay + interval / 2) / interval;
  const auto frames = std::clamp(
      static_cast<unsigned>(std::min<std::int64_t>(nearest, kMaxFramesPerWrite)), 1u, most_);
  asked_ = std::max(asked_, frames);
  return frames;
}

/// Each write costs about the same, so one frame less per write multiplies the share by
/// n / (n - 1).
void WriteMerging::judge(base::Time now) {
  const double share = base::seconds(busy_) / base::seconds(now - since_);
  const unsigned frames = most_;
  if (share > kMaxShare) {
    most_ = std::min(frames + 1, kMaxFramesPerWrite);
  } else if (frames > 1 && share * frames / (frames - 1) < kReleaseShare) {
    most_ = frames - 1;
  }
  used_.store(std::exchange(asked_, 1), std::memory_order_relaxed);
  since_ = now;
  busy_ = {};
}

}  // namespace server
