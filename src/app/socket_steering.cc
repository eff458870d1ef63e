#include "app/socket_steering.h"

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "tcpinfo/congestion_control.h"

namespace app {

namespace {

// A change of the capacity that the kernel is told of: less is the noise of its measurement.
constexpr double kNews = 0.05;

SocketSteering::SsthreshHint outcome(const tcpinfo::AppliedHints& applied, bool wanted) {
  using Hint = SocketSteering::SsthreshHint;
  if (!wanted || !tcpinfo::heeds_ssthresh(applied.congestion_control)) return Hint::kNone;
  if (applied.paced_instead) return Hint::kPaced;
  return applied.ssthresh ? Hint::kSet : Hint::kRefused;
}

}  // namespace

tcpinfo::AppliedHints SocketSteering::begin(int fd, base::BitRate video) {
  tcpinfo::Hints hints{.congestion_control = congestion_control_};
  if (tcp_.initial_window > 0) hints.cwnd = static_cast<std::uint32_t>(tcp_.initial_window);
  if (tcp_.ssthresh_hint) hints.video_rate = transport_rate(video, audio_);
  auto applied = hints_.apply(fd, hints);
  if (!applied.error.empty()) warnings_.failed("congestion control", applied.error);
  ssthresh_hint_ = outcome(applied, tcp_.ssthresh_hint);
  wants_capacity_ = tcpinfo::uses_capacity(applied.congestion_control);
  limit(fd, video);
  return applied;
}

void SocketSteering::follow_rate(int fd, base::BitRate video) {
  if (video != limited_for_ && video.bps() > 0) limit(fd, video);
}

void SocketSteering::follow_capacity(int fd, base::BitRate capacity) {
  if (!wants_capacity_ || capacity.bps() == 0) return;
  if (std::abs(capacity / std::max(capacity_told_, base::BitRate{1}) - 1) < kNews) return;
  capacity_told_ = capacity;
  const auto applied = hints_.apply(fd, {.capacity = capacity});
  if (!applied.error.empty()) warnings_.failed("capacity hint", applied.error);
}

void SocketSteering::limit(int fd, base::BitRate video) {
  limited_for_ = video;
  auto limits = socket_limits(video, audio_, tcp_);
  if (ssthresh_hint_ == SsthreshHint::kPaced && limits.pacing.bps() == 0) {
    limits.pacing = tcpinfo::kPaceForRate * transport_rate(video, audio_);
  }
  if (const char* refused = app::apply(limits, fd)) {
    warnings_.failed(refused, "see symcast doctor", errno);
  }
}

}  // namespace app
