#include "abr/policy/picture_pause.h"

#include <algorithm>
#include <chrono>

namespace abr {

namespace {

using namespace std::chrono_literals;

// Effects of other values, for one viewer alone: on scenarios of sim_table (p95 of the audio), on
// the links of `sim_family --faint --tuning --count 300` ("faint links"), and on those of
// `sim_family --traces` ("recorded links"). All but kLongestVainPause were compared while that was
// 0.6 s.

// A pause is this many times the time that the path takes for a frame of the lowest rate besides
// the audio. Then a frame takes a fifth of what the audio leaves, and the rest drains what waits.
// With 2, the audio of `fade100` and `faint60-flv` is 9 s late instead of 3.5 and 1.9 s; with 6,
// that of `faint60-flv` is 4.7 s late.
constexpr double kFrameTimes = 4;
// The longest pause while the path carries the audio. With 1 s, the audio of `faint60-flv` is 5.2
// s late instead of 1.9 s; with 4 s it is no earlier.
constexpr base::Duration kLongestPictureStop = 2s;
// The same if a pause is no help: the path carries less than the audio, as in an outage, or others
// fill its queue. With 2 s, p95 of the 10th worst recorded link is 20 to 40 % longer; with 0.6 s,
// QoE of faint links is 0.02 higher, that of BBR beside long flows 0.04 lower, and the audio of
// `faint60-flv` 1.9 instead of 3.8 s late.
constexpr base::Duration kLongestVainPause = 300ms;
// A shorter pause is not worth a frame: at 7.5 frames per second the next one would be due. With
// 120 ms, 11 instead of 6 % of the frames of `fade200` are late.
constexpr base::Duration kShortestPictureStop = 200ms;
// The rate that the path carries is measured over this time. With 0.5 s, audio on faint links
// stands still for 19 % shorter, but QoE of `sim_family --tuning` with bbr is 0.01 to 0.02 lower;
// with 2 s, the audio of `faint60-flv` is 7 s late.
constexpr base::Duration kSpan = 1s;
// Audio that comes at once when no frame comes: four frames of AAC (server::GroupChannel). 50 ms
// changes no mean by 1 %; with 200 ms, audio on faint links stands still for 10 % longer.
constexpr base::Duration kAudioAtOnce = 100ms;

base::ByteCount waiting(const Observation& o) {
  return o.queued + o.notsent + o.in_flight + o.lost - o.padding;
}

}  // namespace

base::Duration PicturePause::next(const Observation& o, const PathState& path, base::BitRate lowest,
                                  base::Time now) {
  const auto rate = carried(o, path, now);
  if (!busy_) return {};
  const auto audio = o.transport.audio;
  if (rate <= audio) return kLongestVainPause;
  const auto drains = (waiting(o) - rate * path.round_trip) / (rate - audio);
  if (drains < kShortestPictureStop) return {};
  const auto frame = (o.transport.wire(lowest) - audio) * o.frame_interval;
  const auto most = base::from_seconds(kFrameTimes * base::seconds(frame / (rate - audio)));
  return std::min(drains, std::clamp(most, kShortestPictureStop,
                                     path.cross_traffic ? kLongestVainPause : kLongestPictureStop));
}

/// Also notes whether the path is busy.
base::BitRate PicturePause::carried(const Observation& o, const PathState& path, base::Time now) {
  auto rate = path.capacity;
  if (path.drain_rate.bps() > 0) rate = std::min(rate, path.drain_rate);
  if (delivered_.bps() > 0) rate = std::min(rate, delivered_);
  if (waiting(o) - rate * path.round_trip <= o.transport.audio * kAudioAtOnce) {
    busy_.reset();
    return rate;
  }
  if (!busy_) busy_ = {now, o.delivered};
  if (now - busy_->at < kSpan) return rate;
  delivered_ = base::BitRate::of(o.delivered - busy_->delivered, now - busy_->at);
  busy_ = {now, o.delivered};
  return delivered_;
}

}  // namespace abr
