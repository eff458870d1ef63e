#include "app/tcp/socket_steering.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <utility>

#include "abr/tuning.h"
#include "tcpinfo/congestion_control.h"
#include "tcpinfo/socket_control.h"

namespace app {

namespace {

// Relative change of pacing rate or capacity that is worth a system call. A smaller change is
// within the noise of the measurement; with a larger minimum TCP keeps a stale value.
constexpr double kMinRateChange = 0.05;

// How long pacing stands in for ssthresh at most. It ends as slow start would: at the first loss,
// which sets ssthresh. A new viewer starts with at most a second of queued frames, and at twice the
// video rate has caught up long before 5 s; a shorter time may end before that, a longer one only
// holds TCP back. Afterwards the window grows only while it is used (RFC 7661).
constexpr base::Duration kMaxStartPacing = std::chrono::seconds{5};
// Frames wait at most about this long before they are sent or discarded by the policy, so the
// pacing limit covers the highest rate of this window and of the one before. With a longer window
// pacing stays loose after a fall; with a shorter one queued frames of the higher rate leave too
// slowly, as they do from longer queues if the configuration allows those.
constexpr base::Duration kHighestRateWindow = std::chrono::seconds{1};
// Video time that may be unsent for a calm viewer: a merged write (server::WriteMerging) and the
// largest frame at the default encoder.vbv. With less, its rest waits for a wake-up of the event
// loop, which costs as much as another write; more would serve nobody.
constexpr base::Duration kCalmUnsentTime = std::chrono::milliseconds{160};
constexpr base::BitRate kUnlimitedPacing{std::numeric_limits<std::int64_t>::max()};

SocketSteering::SsthreshHint outcome(const tcpinfo::AppliedHints& applied, bool wanted) {
  using Hint = SocketSteering::SsthreshHint;
  if (!wanted || !tcpinfo::uses_ssthresh(applied.congestion_control)) return Hint::kNone;
  if (applied.paced_instead) return Hint::kPaced;
  return applied.ssthresh ? Hint::kSet : Hint::kRefused;
}

bool is_worth_setting(base::BitRate rate, base::BitRate last) {
  if (rate.bps() == 0 || last.bps() == 0) return rate != last;
  return std::abs(rate / last - 1) >= kMinRateChange;
}

}  // namespace

tcpinfo::AppliedHints SocketSteering::begin(int fd, base::BitRate video, base::Duration burst,
                                            base::Time now) {
  tcpinfo::Hints hints{.congestion_control = congestion_control_};
  if (tcp_.initial_window > 0) hints.cwnd = static_cast<std::uint32_t>(tcp_.initial_window);
  if (tcp_.ssthresh_hint > 0) {
    hints.video_rate = transport_rate(video, audio_);
    hints.ssthresh_factor = tcp_.ssthresh_hint;
    hints.burst = burst;
  }
  auto applied = hints_.apply(fd, hints);
  if (!applied.error.empty()) {
    warnings_.failed("congestion control " + congestion_control_, applied.error);
  }
  ssthresh_hint_ = outcome(applied, tcp_.ssthresh_hint > 0);
  paces_start_ = ssthresh_hint_ == SsthreshHint::kPaced && tcp_.pacing == 0;
  bbr_ = tcpinfo::is_bbr(applied.congestion_control);
  wants_capacity_ = tcpinfo::uses_capacity(applied.congestion_control);
  if (tcp_.rto_min > base::Duration{} && !hints_.set_rto_min(fd, tcp_.rto_min)) {
    warnings_.failed("TCP_RTO_MIN_US", "see symcast doctor", errno);
  }
  if (!rto_max_.begin(fd, tcp_.rto_max)) {
    warnings_.failed("TCP_RTO_MAX_MS", "see symcast doctor", errno);
  }
  note_rate(video, now);
  limit(fd, video);
  return applied;
}

void SocketSteering::follow_rate(int fd, base::BitRate video, base::Time now) {
  if (video.bps() == 0) return;
  note_rate(video, now);
  if (video != limited_for_ || std::max(highest_, highest_before_) != paced_for_) limit(fd, video);
}

void SocketSteering::follow_calm(int fd, bool calm) {
  if (std::exchange(calm_, calm) != calm) limit(fd, limited_for_);
}

void SocketSteering::note_rate(base::BitRate video, base::Time now) {
  if (now - window_began_ >= kHighestRateWindow) {
    highest_before_ = now - window_began_ < 2 * kHighestRateWindow ? highest_ : base::BitRate{};
    highest_ = {};
    window_began_ = now;
  }
  highest_ = std::max(highest_, video);
}

void SocketSteering::on_sample(int fd, const tcpinfo::TcpSample& sample, base::Duration age) {
  rto_max_.follow(fd, sample.rtt);
  if (!paces_start_ || (!sample.ssthresh && age < kMaxStartPacing)) return;
  paces_start_ = false;
  if (!tcpinfo::set_max_pacing_rate(fd, kUnlimitedPacing)) warn_pacing_refused();
}

void SocketSteering::follow_decision(int fd, base::BitRate pacing, std::uint32_t window) {
  if (tcp_.pacing == 0 && !paces_start_ && is_worth_setting(pacing, last_pacing_)) {
    if (tcpinfo::set_max_pacing_rate(fd, pacing.bps() > 0 ? pacing : kUnlimitedPacing)) {
      last_pacing_ = pacing;
      pacing_limited_ = true;  // for good: TCP then also keeps to a pace of its own
    } else {
      warn_pacing_refused();
    }
  }
  if (window == 0 || !hints_.sets_windows()) return;
  const auto applied = hints_.apply(fd, {.ssthresh = window, .cwnd = window});
  if (!applied.error.empty()) warnings_.failed("window hint", applied.error);
}

bool SocketSteering::change(int fd, abr::CongestionControl wanted) {
  const std::string name = abr::name(wanted);
  const auto applied = hints_.apply(fd, {.congestion_control = name});
  if (!applied.error.empty()) warnings_.failed("congestion control " + name, applied.error);
  pacing_limited_ |= bbr_;  // the kernel goes on pacing after BBR
  bbr_ = tcpinfo::is_bbr(applied.congestion_control);
  return bbr_ == (wanted == abr::CongestionControl::kBbr);
}

void SocketSteering::follow_capacity(int fd, base::BitRate capacity) {
  if (!wants_capacity_ || !is_worth_setting(capacity, last_capacity_)) return;
  last_capacity_ = capacity;
  const auto applied = hints_.apply(fd, {.capacity = capacity});
  if (!applied.error.empty()) warnings_.failed("capacity hint", applied.error);
}

void SocketSteering::warn_pacing_refused() {
  warnings_.failed("SO_MAX_PACING_RATE", "see symcast doctor", errno);
}

void SocketSteering::limit(int fd, base::BitRate video) {
  limited_for_ = video;
  paced_for_ = std::max(highest_, highest_before_);
  const SocketLimits limits{
      .pacing = paces_start_ ? tcpinfo::kStartPaceFactor * transport_rate(paced_for_, audio_)
                             : pacing_limit(paced_for_, audio_, tcp_),
      .notsent_lowat = notsent_limit(video, calm_ ? kCalmUnsentTime : abr::kMaxUnsentTime, tcp_)};
  pacing_limited_ |= limits.pacing.bps() > 0;
  if (const char* refused = app::apply(limits, fd)) {
    warnings_.failed(refused, "see symcast doctor", errno);
  }
}

}  // namespace app
