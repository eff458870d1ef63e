#include "abr/control/sample_interval.h"

#include <algorithm>

namespace abr {

namespace {

using namespace std::chrono_literals;

// The interval is this share of the time for which the viewer has been calm. With a larger share
// viewers are sampled seldom sooner, also those whose trouble comes and goes; with a smaller one
// each of them costs more for longer: at a quarter, 500 ms are reached after 2 s.
constexpr double kShareOfCalm = 0.25;
// A path of which the stream uses more than this share has too little room for a calm viewer: the
// next change may need an answer within a frame. With 0.7, p95 of the links below is 5 % longer
// than with a sample at every frame; with 0.5 it is 2 % longer, at the same rates (`sim_table
// --random 4001 --count 200 --seeds 1 --shared --ceiling 0.4`).
constexpr double kUsedShare = 0.5;
// A frame that has waited less has met no queue, as in SymbiosisPolicy (kQuietWait): about a frame
// interval. Less ends the calm of jittery paths, more lets a queue grow unseen.
constexpr base::Duration kCalmWait = 30ms;
// The rate that a viewer can take may move by this share of it: packet trains err by a tenth. Less
// ends the calm for noise, more leaves the ladder with an old rate for longer.
constexpr double kCalmBand = 0.2;

/// Without packet trains (the frames are short, or the viewer is near), the frames' times show it.
/// Before the first frame is acknowledged, nothing does.
/// On a short round trip the window may limit each frame, and carry many times the stream all the
/// same.
bool has_room(const Observation& o, const PathState& path) {
  if (path.frame_size.bytes() == 0) return false;
  const auto used = o.transport.wire(o.served);
  if (path.cwnd_rate.bps() > 0 && used > kUsedShare * path.cwnd_rate) return false;
  if (path.capacity.bps() == 0) {
    return base::seconds(path.transit) < kUsedShare * base::seconds(o.frame_interval);
  }
  return used < kUsedShare * path.capacity;
}

}  // namespace

void SampleInterval::update(const Observation& o, const PathState& path, base::BitRate rate,
                            bool steered, base::Time now) {
  if (steered || !is_calm(o, path, rate)) {
    calm_since_ = now;
    calm_rate_ = rate;
  }
  next_ = now + std::min(kMax, std::chrono::duration_cast<base::Duration>(kShareOfCalm *
                                                                          (now - calm_since_)));
}

bool SampleInterval::is_calm(const Observation& o, const PathState& path,
                             base::BitRate rate) const {
  const bool waits = o.discardable || path.queueing_delay > kCalmWait || path.drain_rate.bps() > 0;
  const bool limited = o.receiver_limited || path.cross_traffic || path.reader_rate.bps() > 0;
  const bool lossy = o.recovering || o.rexmt > 0 || o.dupack > 0;
  const bool same = rate > (1 - kCalmBand) * calm_rate_ && rate < (1 + kCalmBand) * calm_rate_;
  return has_room(o, path) && !waits && !limited && !lossy && same;
}

}  // namespace abr
