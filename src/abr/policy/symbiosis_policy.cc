#include "abr/policy/symbiosis_policy.h"

#include <algorithm>
#include <utility>

#include "abr/tuning.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// Effects of other values: differences of the means over the links of `sim_table --random 1 --count
// 100` without cross traffic, unless cross traffic or a `scenario` is named.

// Share of the capacity up to which a rate is left alone, because trains err by as much. With 0.93,
// the rate returns after 0.96 instead of 0.60 s; with 1.0, p95 on `steps` is 2 % longer.
constexpr double kToleratedShare = 0.97;
// Share of a token bucket's rate that is used. With 0.9, the rate on `bucket` is 5 % lower;
// with 1.0, it is 6 % higher and p99 8 % longer: no tokens are left for larger frames.
constexpr double kPolicerShare = 0.95;
// A backlog is drained within this time. With 50 ms, p99 of `own` is 10 % longer; with 400 ms, p95
// of `mobile` is 13 % longer and of `steps` 6 %.
constexpr base::Duration kDrainTime = 100ms;
// Share of the usual rate that is left while a backlog drains. Smaller starves the encoder, larger
// drains more slowly. 0.02 and 0.2 change nothing: frames are skipped as well.
constexpr double kMinDrainShare = 0.05;
// After a fall the rate does not rise for this long, or for a round trip if that is longer. With
// 500 ms, rates are 2 % lower (`mobile`: 7 %); with 50 ms, p95 of `mobile` is 3 % longer.
constexpr base::Duration kMinHoldTime = 150ms;

// Share of a frame interval: the path is idle between frames that take less. With 0.6, rates are
// 0.7 % lower; with 1.0, they are 0.9 % higher and p95 of `steps` is 3 % longer.
constexpr double kIdleShare = 0.85;
// Share of a frame interval: frames that take less would still pass in time if they were kBlindStep
// times as large. With 0.4, rates return after 7.2 instead of 5.2 s next to cross traffic; with
// 0.8, p95 is 8 % longer.
constexpr double kRoomyShare = 0.6;
// Share of the maximum that a small step adds. Without small steps rates are 2 % lower; with 0.03,
// p95 is 13 % longer (`own`: 35 %).
constexpr double kSmallStepShare = 0.01;
// Share of the frame size that the rate allows. Smaller frames do not prove that the path carries
// the rate: a lower share lets static content raise it blindly. With 0.8, p95 is 1 % longer, and
// the rate of `static` returns after 8 s or never, instead of at once.
constexpr double kProvingShare = 0.5;

// Next to cross traffic, data that TCP has not sent is drained within this time. With 0.3 s, the
// rate of `beside` is 0.8 % lower; with 3 s, 0.6 % more frames are late.
constexpr base::Duration kSharedDrainTime = 1s;
// Share of the window's rate that is used. With 0.9, the rate of `beside` is 3 % lower; with 1.0,
// it is 1.5 % higher, and nothing is left for frames that exceed their share.
constexpr double kWindowShare = 0.97;
// Share of the rate that BBR's recovery leaves: that of CUBIC's window after a loss (RFC
// 9438, 4.6), but at most a step more than arrives. Without it, a loss left a tenth of the rate
// behind a queue of a second, and 5 instead of 4 of 216 runs beside long flows have less than 75 %
// of their fair share (`sim_family --beside`, seeds 11 to 16). Without the limit, audio is late on
// 40 instead of 34 of 1000 links that carry less than the lowest rate (SIM_LINKS=1000
// sim_property_test).
constexpr double kRecoveryShare = 0.7;
// Shares of the path that are taken next to cross traffic: there are at least two flows and, if
// both are ours, more would be too much. CUBIC's window is below its share after each loss, BBR's
// stays. With 0.05 less `beside` has 6 to 10 % less rate. With 0.05 more it has as much more, but
// two viewers of ours have 2.3 % (CUBIC) and 2.0 % (BBR) late frames instead of 1.7 %.
constexpr double kCubicShare = 0.53;
constexpr double kBbrShare = 0.5;

// After a timeout the rate is multiplied by this: by less than the paper's 0.55, because nothing at
// all has come back. 0.25 and 0.55 change neither p95 nor rates by 1 %.
constexpr double kTimeoutFactor = 0.4;
// The next frame is skipped if the backlog is longer. With 60 ms, p95 next to cross traffic is 10 %
// shorter and its rate 0.5 % lower; with 240 ms, p95 of `steps` is 7 % longer.
constexpr base::Duration kSkipBacklog = 120ms;
// Queued data is discarded if the backlog is longer, at most once in the interval: the keyframe
// that recovers from a discard arrives within a second (encoder.forced_keyframe_interval), and must
// not be discarded as well. 200 and 800 ms change p95 by less than 1 %; with an interval of 3 s p95
// next to cross traffic is 8 % longer.
constexpr base::Duration kDiscardBacklog = 400ms;
constexpr base::Duration kDiscardInterval = 1s;

/// The rate on the wire that gets through now.
base::BitRate carried(const PathState& path) {
  auto least = path.capacity;
  if (path.drain_rate.bps() > 0) least = std::min(least, path.drain_rate);
  if (path.cwnd_rate.bps() > 0) least = std::min(least, path.cwnd_rate);
  return least;
}

/// The rate on the wire that a congestion window of `segments` allows.
base::BitRate window_rate(std::uint32_t segments, const Observation& o) {
  return base::BitRate::of(base::ByteCount{std::int64_t{segments} * o.mss}, o.srtt);
}

/// A frame kBlindStep times as large would still pass before the next one.
bool is_roomy(const Observation& o, const PathState& path) {
  return base::seconds(path.transit) < kRoomyShare * base::seconds(o.frame_interval);
}

/// Frames pass before the next one arrives. The base RTT may have been measured with a full
/// segment.
bool is_idle_between_frames(const Observation& o, const PathState& path) {
  const auto busy = path.transit + base::ByteCount{o.mss} / path.capacity;
  return base::seconds(busy) < kIdleShare * base::seconds(o.frame_interval);
}

/// Others' packets come between those of the trains, or ACKs are bunched: a verified rate counts
/// more than the trains.
bool trains_disagree(const PathState& path) {
  return path.queueing_delay < kStillWait && !(path.capacity_recent && path.trains_agree);
}

}  // namespace

Decision SymbiosisPolicy::decide(const Observation& o, const PathState& path, base::Time now) {
  if (!std::exchange(started_, true)) return fallback_.decide(o, path, now);
  padding_.earn(o);
  const Moment m = moment(o, path, now);
  const auto before = rate_;
  Decision decision = choose(m);
  decision.sustains = sustainable(m);
  give_way_to_audio(m, decision);
  const bool leaps = path.capacity_recent && rate_ > kBlindStep * before;
  const auto limit = ceiling(m);
  decision.window =
      window_.next(o, path, {rate_, limit, most_beside_others(m), m.quiet, leaps}, now);
  if (m.quiet && rate_ < limit) decision.padding = padding_.spend(o, path, rate_, now);
  decision.pacing = pacing_.next(o, path, rate_, now);
  if (!o.discardable || now < discard_again_) decision.discard = false;
  if (decision.discard) discard_again_ = now + kDiscardInterval;
  return decision;
}

SymbiosisPolicy::Moment SymbiosisPolicy::moment(const Observation& o, const PathState& path,
                                                base::Time now) const {
  const auto backlog = path.backlog / std::max(path.capacity, o.transport.wire(rate_));
  const bool quiet =
      backlog < kQuietWait && path.queueing_delay < kQuietWait && path.drain_rate.bps() == 0;
  return {o, path, now, backlog, quiet};
}

Decision SymbiosisPolicy::choose(const Moment& m) {
  if (!std::exchange(recovering_, m.seen.recovering)) before_loss_ = rate_;
  const bool slow = m.path.reader_rate.bps() > 0 && ceiling(m) < (1 - kRateDeadBand) * rate_;
  if (slow) return keep_up(m);
  if (m.path.capacity.bps() == 0) return fall_back(m);
  if (m.seen.rexmt > 0) return timeout(m);
  if (m.seen.receiver_limited) return hold();  // the player's doing: the path is as good as before
  if (m.seen.dupack > 0) {
    if (const auto less = fast_retransmit(m)) return *less;
  }
  if (m.path.cross_traffic) return share(m);
  drain_check_.reset();
  return follow(m);
}

/// No frame's times have shown anything: the kernel has none, or none yet, or a frame fits into one
/// segment (loopback). Nothing is discarded: a viewer that joins begins with the frames since the
/// last keyframe.
Decision SymbiosisPolicy::fall_back(const Moment& m) {
  const auto decision = fallback_.decide(m.seen, m.path, m.now);
  const auto most = std::min(decision.rate, ceiling(m));
  // A slow reader was the limit, and reads faster, or is none any more.
  if (most > rate_) return set(most, Reason::kRestore);
  return decision.reason == Reason::kHold ? hold() : set(most, decision.reason);
}

/// Nothing has been acknowledged for a while: data sent now would only wait. The backlog may be
/// that of others, which is not ours to drain.
Decision SymbiosisPolicy::timeout(const Moment& m) {
  hold_back(m);
  const auto less = kTimeoutFactor * rate_;
  const auto most = m.path.cross_traffic ? less : std::min(wanted(m), less);
  Decision decision = set(most, Reason::kRexmt);
  decision.discard = true;
  return decision;
}

/// Frames that the player has not taken yet are late when it does.
Decision SymbiosisPolicy::keep_up(const Moment& m) {
  return relieved(m, set(ceiling(m), Reason::kReader), m.seen.backlog);
}

/// TCP goes on with a smaller window. nullopt when that is large enough for the rate.
std::optional<Decision> SymbiosisPolicy::fast_retransmit(const Moment& m) {
  if (!m.seen.ssthresh || m.seen.srtt.count() == 0) return {};
  const auto allowed = m.seen.transport.video(kHeadroom * window_rate(*m.seen.ssthresh, m.seen));
  if (allowed >= rate_) return {};
  if (m.path.cross_traffic) return set(allowed, Reason::kDupack);
  hold_back(m);
  return relieved(m, set(std::min(allowed, wanted(m)), Reason::kDupack), m.backlog);
}

/// Cross traffic keeps the queue filled. TCP's window is our share, and grows only while it is
/// used.
Decision SymbiosisPolicy::share(const Moment& m) {
  Decision decision = hold();
  const auto allowed = drain_check_.allowed(m.seen, m.path, rate_, m.now);
  const auto regained = drain_check_.regained();
  const auto arrives = arrival_check_.shortfall(m.seen, m.path, m.now);
  if (allowed < rate_) {
    decision = set(allowed, Reason::kBacklog);
  } else if (regained > rate_) {
    decision = set(regained, Reason::kStep);
    verified_at_ = m.now + m.seen.srtt;
  } else if (!drain_check_.runs()) {
    if (arrives && m.seen.transport.video(*arrives) < rate_) {
      decision = set(m.seen.transport.video(*arrives), Reason::kBacklog);
      verified_at_ = m.now + m.seen.srtt;
    } else if (m.now >= verified_at_) {
      decision = m.path.cwnd_rate.bps() > 0 ? yield(m) : take(m);
    }
  }
  // The path's queue is not ours to drain; data that TCP has not taken is.
  return relieved(m, decision, m.seen.backlog);
}

/// The window holds data back. In the first round trip of a recovery BBR's window is only what
/// arrives (tcp_bbr.c, bbr_set_cwnd_to_recover_or_restore()). Behind a deep queue that was sent
/// long ago, perhaps at a much lower rate, and afterwards the window is what it was before.
Decision SymbiosisPolicy::yield(const Moment& m) {
  const auto drain = base::BitRate::of(m.seen.queued + m.seen.notsent, kSharedDrainTime);
  const bool conserves = m.seen.bbr && m.seen.recovering;
  const auto step = kBlindStep * m.seen.transport.video(m.path.cwnd_rate);
  const auto least = conserves ? std::min(kRecoveryShare * before_loss_, step) : base::BitRate{};
  const auto most =
      std::max(least, m.seen.transport.video(kWindowShare * m.path.cwnd_rate - drain));
  if (most >= rate_) return hold();
  verified_at_ = m.now + m.seen.srtt;
  return set(most, Reason::kBacklog);
}

/// The window has room. During a recovery it shrinks towards ssthresh (RFC 6937).
Decision SymbiosisPolicy::take(const Moment& m) {
  verified_at_ = m.now + m.seen.srtt + m.seen.frame_interval;
  if (m.seen.srtt.count() == 0) return hold();
  auto window = m.seen.cwnd;
  if (m.seen.recovering) window = std::min(window, m.seen.ssthresh.value_or(window));
  const auto room = m.seen.transport.video(kWindowShare * window_rate(window, m.seen));
  // The queue may be our own after all, and the path slower than it was. BBR's window is no share
  // of the queue.
  const auto known = std::max(rate_, m.seen.transport.video(m.path.capacity));
  const auto most = std::min({ceiling(m), m.seen.transport.video(most_beside_others(m)), room,
                              kBlindStep * (m.seen.bbr ? rate_ : known)});
  if (most <= rate_ || !arrival_check_.passes(m.seen, rate_, m.now)) return hold();
  return set(most, Reason::kStep);
}

Decision SymbiosisPolicy::follow(const Moment& m) {
  const auto want = wanted(m);
  if (m.quiet && !m.path.capacity_recent && ceiling(m) >= (1 - kRateDeadBand) * rate_)
    return rise_blindly(m);
  auto most = want;
  if (m.quiet) {
    most = trains_disagree(m.path)
               ? rate_
               : std::max(want, m.seen.transport.video(kToleratedShare * m.path.capacity));
  }
  if (std::min(most, ceiling(m)) < (1 - kRateDeadBand) * rate_) return fall(m, want);
  return m.quiet ? rise(m, want) : relieved(m, hold(), m.backlog);
}

void SymbiosisPolicy::set_limits(const RateLimits& limits) {
  limits_ = limits;
  rate_ = std::clamp(rate_, limits.min, limits.max);
  fallback_.set_limits(limits);
}

Decision SymbiosisPolicy::fall(const Moment& m, base::BitRate wanted) {
  hold_back(m);
  window_.note_fall(m.seen, m.path, m.now);
  const auto reason = m.backlog > kQuietWait ? Reason::kBacklog : Reason::kCapacity;
  return relieved(m, set(wanted, reason), m.backlog);
}

Decision SymbiosisPolicy::rise(const Moment& m, base::BitRate wanted) {
  if (m.now < hold_until_) return hold();
  const bool verified = m.now >= verified_at_;
  const auto most =
      std::min(wanted, kVerifiedStep * (verified ? rate_ : std::min(verified_, rate_)));
  if (most > (1 + kRateDeadBand) * rate_) return step(m, most);
  if (!verified) return hold();
  const auto more = std::min(ceiling(m), rate_ + kSmallStepShare * limits_.max);
  if (!trains_disagree(m.path) || more <= rate_) return hold();
  const bool has_room = m.path.train_recent || is_idle_between_frames(m.seen, m.path);
  return has_room ? step(m, more) : hold();
}

/// Nothing shows the capacity. A step shows whether it was too much, as long as the encoder uses
/// the whole rate. The first step after a fall may be larger, because the rate that drained the
/// backlog was lower than the path allows.
Decision SymbiosisPolicy::rise_blindly(const Moment& m) {
  const auto limit = ceiling(m);
  if (rate_ >= limit || m.path.queueing_delay > kStillWait + m.path.jitter || m.now < hold_until_ ||
      m.now < verified_at_) {
    return hold();
  }
  const auto due = m.seen.transport.wire(rate_) * m.seen.frame_interval;
  if (m.path.frame_size.bytes() < kProvingShare * static_cast<double>(due.bytes())) return hold();
  auto next = rate_ + kSmallStepShare * limits_.max;
  if (is_roomy(m.seen, m.path)) {
    next = std::max(kBlindStep * rate_, std::min(resume_, sustainable(m)));
  }
  return step(m, std::min(limit, next));
}

/// Up, to a rate that has to be verified.
Decision SymbiosisPolicy::step(const Moment& m, base::BitRate rate) {
  if (m.now >= verified_at_) {
    verified_ = rate_;
    verified_at_ = m.now + m.path.round_trip + 2 * m.seen.frame_interval;
  }
  return set(rate, Reason::kStep);
}

/// The path's rate, less headroom and the rate that drains the backlog.
base::BitRate SymbiosisPolicy::wanted(const Moment& m) const {
  const auto path_rate = carried(m.path);
  const auto cap = kHeadroom * path_rate;
  const auto tolerated = path_rate * (m.seen.frame_interval / 2);
  const auto drain =
      base::BitRate::of(std::max(base::ByteCount{}, m.path.backlog - tolerated), kDrainTime);
  return std::min(ceiling(m), m.seen.transport.video(std::max(kMinDrainShare * cap, cap - drain)));
}

/// The path's rate, less headroom. The present rate at least, if no recent frame has shown the
/// capacity.
base::BitRate SymbiosisPolicy::sustainable(const Moment& m) const {
  const auto& path = m.path;
  if (path.capacity.bps() == 0 || path.cross_traffic) return {};
  const auto known = std::min(ceiling(m), m.seen.transport.video(kHeadroom * carried(path)));
  return std::clamp(path.capacity_recent ? known : std::max(known, rate_), limits_.min,
                    limits_.max);
}

base::BitRate SymbiosisPolicy::ceiling(const Moment& m) const {
  auto most = limits_.max;
  if (m.path.policer_rate.bps() > 0) {
    most = std::min(most, m.seen.transport.video(kPolicerShare * m.path.policer_rate));
  }
  if (m.path.reader_rate.bps() > 0) {
    most = std::min(most, m.seen.transport.video(kHeadroom * m.path.reader_rate));
  }
  return std::max(most, limits_.min);
}

/// The highest rate on the wire that may be ours next to cross traffic.
base::BitRate SymbiosisPolicy::most_beside_others(const Moment& m) const {
  return (m.seen.bbr ? kBbrShare : kCubicShare) * std::max(m.path.highest, m.path.capacity);
}

/// The lowest rate may be more than the path carries. Then only fewer frames drain what waits in
/// it, and the audio is late until it has drained.
void SymbiosisPolicy::give_way_to_audio(const Moment& m, Decision& decision) {
  const bool lowest = rate_ <= limits_.min && m.path.capacity.bps() > 0;
  if (!lowest || m.seen.receiver_limited) return picture_pause_.reset();
  decision.pause = picture_pause_.next(m.seen, m.path, limits_.min, m.now);
}

/// Skips every other frame while they would be late, and discards frames that are.
Decision SymbiosisPolicy::relieved(const Moment& m, Decision decision,
                                   base::Duration backlog) const {
  decision.discard = backlog > kDiscardBacklog;
  if (backlog > kSkipBacklog) decision.pause = m.seen.frame_interval;
  return decision;
}

Decision SymbiosisPolicy::set(base::BitRate rate, Reason reason) {
  const auto limited = std::clamp(rate, limits_.min, limits_.max);
  if (limited == rate_) return hold();
  if (limited > rate_) resume_ = {};
  rate_ = limited;
  return {rate_, reason};
}

void SymbiosisPolicy::hold_back(const Moment& m) {
  hold_until_ = m.now + std::max(kMinHoldTime, m.seen.srtt);
  resume_ = std::max(resume_, kTimeoutFactor * rate_);
}

}  // namespace abr
