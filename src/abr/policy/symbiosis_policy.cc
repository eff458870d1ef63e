#include "abr/policy/symbiosis_policy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "abr/tuning.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// Where no source is named, a constant is what served best over all of tests/sim's scenarios.

// Of the capacity. A rate between kHeadroom and this is left alone, for trains err by as much.
constexpr double kMost = 0.97;
constexpr double kPoliced = 0.95;  // of what a token bucket lets through
constexpr base::Duration kDrain = 100ms;
constexpr double kLeastOfCap = 0.05;
constexpr base::Duration kLeastHold = 150ms;
constexpr base::Duration kQuiet = 30ms;  // about a frame
constexpr base::Duration kStill = 15ms;

constexpr double kStep = 3.0;
constexpr double kBlindStep = 1.5;
constexpr double kIdle = 0.85;       // of an interval: the path waits for the next frame
constexpr double kRoomy = 0.6;       // of an interval: a frame passes kBlindStep times as long
constexpr double kSmallStep = 0.01;  // of the ceiling
// A train of 8 segments is acknowledged four times. 3 % of the bytes pay for what a frame lacks
// of one every 2 s at 1 Mbit/s, every 9 s at 300 kbit/s (30 frames/s).
constexpr double kProof = 0.5;  // of what the rate allows: smaller frames prove nothing
constexpr int kTrain = 8;
constexpr base::Duration kProbeEvery = 2s;
constexpr base::Duration kMostProbeWait = 32s;
constexpr double kNews = 0.1;
constexpr double kPaddingShare = 0.03;
constexpr int kMostTrains = 2;  // saved up

constexpr base::Duration kShareDrain = 1s;
constexpr double kOfAllowance = 0.97;
// Of the path, for there are two of us at least; if both are ours, more would be too much. CUBIC's
// window is below it after each loss, BBR's stays where it is.
constexpr double kCubicShare = 0.53;
constexpr double kBbrShare = 0.5;

constexpr double kTimeout = 0.4;  // less than the paper's 0.55: nothing has come back at all
constexpr base::Duration kSkip = 120ms;
constexpr base::Duration kDiscard = 400ms;
// What has been discarded is mended by a keyframe at most once in that time: it is not to be
// discarded as well.
constexpr base::Duration kRecoveryTime = 1s;

// TCP's own pace is 1.2 to 2 times window over round trip and hides the path's; ours lets a
// frame leave in less than half its interval, and does not burst.
constexpr double kPace = 2.5;
constexpr base::Duration kLossy = 5s;  // after a loss: the queue is full, or short
constexpr double kLossyPace = 1.5;
constexpr auto kLeastPace = base::BitRate::mbps(10);

constexpr base::Duration kCalm = 20ms;
constexpr base::Duration kSettled = 1s;
constexpr double kSpare = 1.2;
constexpr double kRoom = 1.25;
// BBR holds four segments for 200 ms and a round trip (PROBE_RTT) when it has seen no lower round
// trip for 10 s (tcp_bbr.c, bbr_update_min_rtt()). The rest is to find a moment when nothing waits.
constexpr base::Duration kRenew = 7s;

/// What gets through now, on the wire.
base::BitRate carried(const PathState& path) {
  auto least = path.capacity;
  if (path.drain_rate.bps() > 0) least = std::min(least, path.drain_rate);
  if (path.cwnd_rate.bps() > 0) least = std::min(least, path.cwnd_rate);
  return least;
}

/// What the smoothed round trip is beyond the least with no queue in the path: a frame's last
/// segment comes after its others.
base::Duration undisturbed(const PathState& path) {
  return kCalm + (path.capacity.bps() > 0 ? path.frame_size / path.capacity : base::Duration{});
}

/// What a window of so many segments lets through, on the wire.
base::BitRate through(std::uint32_t window, const Observation& o) {
  return base::BitRate::of(base::ByteCount{std::int64_t{window} * o.mss}, o.srtt);
}

/// Segments that are in flight, and in a frame, at that rate of video; and some more.
std::uint32_t window_for(base::BitRate video, const Observation& o) {
  const auto bytes = (o.transport.wire(video) * (o.srtt + o.frame_interval)).bytes();
  return static_cast<std::uint32_t>(kRoom * bytes / o.mss);
}

}  // namespace

Decision SymbiosisPolicy::decide(const Observation& o, const PathState& path, base::Time now) {
  if (!std::exchange(started_, true)) return fallback_.decide(o, path, now);
  earn_padding(o);
  const Moment m = moment(o, path, now);
  const auto before = rate_;
  Decision decision = choose(m);
  decision.sustains = sustainable(m);
  decision.window =
      o.bbr ? renewal(m) : window(m, path.capacity_recent && rate_ > kBlindStep * before);
  decision.padding = padding(m);
  decision.pacing = pace(m);
  if (!o.discardable || m.now < discard_at_) decision.discard = false;
  if (decision.discard) discard_at_ = m.now + kRecoveryTime;
  return decision;
}

SymbiosisPolicy::Moment SymbiosisPolicy::moment(const Observation& o, const PathState& path,
                                                base::Time now) const {
  const auto waits = path.backlog / std::max(path.capacity, o.transport.wire(rate_));
  const bool quiet = waits < kQuiet && path.queueing_delay < kQuiet && path.drain_rate.bps() == 0;
  return {o, path, now, waits, quiet};
}

Decision SymbiosisPolicy::choose(const Moment& m) {
  if (m.path.capacity.bps() == 0) return fall_back(m);
  if (m.seen.rexmt > 0) return timeout(m);
  if (m.seen.receiver_limited) return hold();  // its path is as good as before
  if (m.seen.dupack > 0) {
    if (const auto less = fast_retransmit(m)) return *less;
  }
  if (m.path.cross_traffic) return share(m);
  return follow(m);
}

/// No frame's times have told anything: the kernel has none, or not yet, or a frame is a
/// segment (loopback). Nothing is discarded: one who joins begins with the frames since the last
/// keyframe.
Decision SymbiosisPolicy::fall_back(const Moment& m) {
  const auto decision = fallback_.decide(m.seen, m.path, m.now);
  return decision.reason == Reason::kHold ? hold() : set(decision.rate, decision.reason);
}

/// Nothing has come back for a while: what is sent now only waits.
Decision SymbiosisPolicy::timeout(const Moment& m) {
  hold_back(m);
  Decision decision = set(std::min(wanted(m), kTimeout * rate_), Reason::kRexmt);
  decision.discard = true;
  return decision;
}

/// TCP goes on with a smaller window; empty: it is large enough.
std::optional<Decision> SymbiosisPolicy::fast_retransmit(const Moment& m) {
  if (!m.seen.ssthresh || m.seen.srtt.count() == 0) return {};
  const auto allowed = m.seen.transport.video(kHeadroom * through(*m.seen.ssthresh, m.seen));
  if (allowed >= rate_) return {};
  if (m.path.cross_traffic) return set(allowed, Reason::kDupack);
  hold_back(m);
  return relieved(set(std::min(allowed, wanted(m)), Reason::kDupack), m.waits);
}

/// Others keep the queue filled: TCP's window says what our share is, and grows only as it is used.
Decision SymbiosisPolicy::share(const Moment& m) {
  Decision decision = hold();
  if (m.now >= step_at_) decision = m.path.cwnd_rate.bps() > 0 ? yield(m) : take(m);
  // Their queue is not ours to drain; what TCP has not taken is.
  return relieved(decision, m.seen.backlog);
}

/// TCP may not send what there is.
Decision SymbiosisPolicy::yield(const Moment& m) {
  const auto late = base::BitRate::of(m.seen.queued + m.seen.notsent, kShareDrain);
  const auto most = m.seen.transport.video(kOfAllowance * m.path.cwnd_rate - late);
  if (most >= rate_) return hold();
  step_at_ = m.now + m.seen.srtt;
  return set(most, Reason::kBacklog);
}

/// What the window has room for; in a recovery it is on its way to ssthresh (RFC 6937).
Decision SymbiosisPolicy::take(const Moment& m) {
  step_at_ = m.now + m.seen.srtt + m.seen.frame_interval;
  const auto share =
      (m.seen.bbr ? kBbrShare : kCubicShare) * std::max(m.path.highest, m.path.capacity);
  const auto half = std::min(ceiling(m), m.seen.transport.video(share));
  if (m.seen.srtt.count() == 0) return hold();
  auto window = m.seen.cwnd;
  if (m.seen.recovering) window = std::min(window, m.seen.ssthresh.value_or(window));
  const auto room = m.seen.transport.video(kOfAllowance * through(window, m.seen));
  auto most = std::min(half, room);
  if (m.seen.bbr) most = std::min(most, kBlindStep * rate_);  // its window is no share of the queue
  return most > rate_ ? set(most, Reason::kStep) : hold();
}

Decision SymbiosisPolicy::follow(const Moment& m) {
  const auto want = wanted(m);
  if (m.quiet && !m.path.capacity_recent && ceiling(m) >= (1 - kRateDeadBand) * rate_)
    return rise_blindly(m);
  auto most = want;
  if (m.quiet) {
    most = trains_disagree(m) ? rate_
                              : std::max(want, m.seen.transport.video(kMost * m.path.capacity));
  }
  if (std::min(most, ceiling(m)) < (1 - kRateDeadBand) * rate_) return fall(m, want);
  return m.quiet ? rise(m, want) : relieved(hold(), m.waits);
}

Decision SymbiosisPolicy::fall(const Moment& m, base::BitRate wanted) {
  hold_back(m);
  if (m.seen.srtt > m.path.round_trip + undisturbed(m.path)) congested_at_ = m.now;
  const auto decision = set(wanted, m.waits > kQuiet ? Reason::kBacklog : Reason::kCapacity);
  return relieved(decision, m.waits);
}

/// What would be late is not made, what is late is not sent.
Decision SymbiosisPolicy::relieved(Decision decision, base::Duration waits) {
  decision.skip = waits > kSkip ? 1 : 0;
  decision.discard = waits > kDiscard;
  return decision;
}

Decision SymbiosisPolicy::rise(const Moment& m, base::BitRate wanted) {
  if (m.now < hold_until_) return hold();
  const bool verified = m.now >= step_at_;
  const auto most = std::min(wanted, kStep * (verified ? rate_ : std::min(verified_, rate_)));
  if (most > (1 + kRateDeadBand) * rate_) return step(m, most);
  if (!verified) return hold();
  const auto more = std::min(ceiling(m), rate_ + kSmallStep * limits_.max);
  if (!trains_disagree(m) || more <= rate_) return hold();
  return m.path.train_recent || idles(m) ? step(m, more) : hold();
}

Decision SymbiosisPolicy::step(const Moment& m, base::BitRate rate) {
  if (m.now >= step_at_) {
    verified_ = rate_;
    step_at_ = m.now + m.path.round_trip + 2 * m.seen.frame_interval;
  }
  return set(rate, Reason::kStep);
}

/// Nothing tells of the capacity. A step shows whether it was too much, where the encoder needs
/// what the rate allows. What has drained the backlog was less than the path had let through.
Decision SymbiosisPolicy::rise_blindly(const Moment& m) {
  const auto limit = ceiling(m);
  if (rate_ >= limit || m.path.queueing_delay > kStill + m.path.jitter || m.now < hold_until_ ||
      m.now < step_at_) {
    return hold();
  }
  const auto due = m.seen.transport.wire(rate_) * m.seen.frame_interval;
  if (m.path.frame_size.bytes() < kProof * static_cast<double>(due.bytes())) return hold();
  auto next = rate_ + kSmallStep * limits_.max;
  if (roomy(m)) next = std::max(kBlindStep * rate_, std::min(resume_, sustainable(m)));
  return step(m, std::min(limit, next));
}

/// What makes the next frame a train, where frames are too short.
base::ByteCount SymbiosisPolicy::padding(const Moment& m) {
  if ((m.path.capacity_recent && m.path.upper_bound_recent) || !m.quiet || m.seen.recovering ||
      rate_ >= ceiling(m) ||
      m.now < probed_at_ + (m.path.capacity_recent ? probe_wait_ : kProbeEvery)) {
    return {};
  }
  // The newest may be of a higher rate.
  const auto next =
      std::min(m.path.frame_size, m.seen.transport.wire(rate_) * m.seen.frame_interval);
  const auto missing = base::ByteCount{std::int64_t{kTrain} * m.seen.mss} - next;
  if (missing.bytes() <= 0 || missing > std::min(padding_, kMostPadding)) return {};
  padding_ -= missing;
  note_probe(m);
  return missing;
}

/// Where frames agree with the capacity, and the last probe has told nothing new, there is time.
void SymbiosisPolicy::note_probe(const Moment& m) {
  const bool news = std::abs(m.path.capacity / probed_ - 1) > kNews;
  probe_wait_ = news ? kProbeEvery : std::min(2 * probe_wait_, kMostProbeWait);
  probed_ = m.path.capacity;
  probed_at_ = m.now;
}

/// What the path carries, less headroom and what drains the backlog.
base::BitRate SymbiosisPolicy::wanted(const Moment& m) const {
  const auto service = carried(m.path);
  const auto cap = kHeadroom * service;
  const auto tolerated = service * (m.seen.frame_interval / 2);
  const auto drain =
      base::BitRate::of(std::max(base::ByteCount{}, m.path.backlog - tolerated), kDrain);
  return std::min(ceiling(m), m.seen.transport.video(std::max(kLeastOfCap * cap, cap - drain)));
}

/// The same, were nothing waiting; where nothing tells of the capacity, what has been verified.
base::BitRate SymbiosisPolicy::sustainable(const Moment& m) const {
  const auto& path = m.path;
  if (path.capacity.bps() == 0 || path.cross_traffic) return {};
  const auto told = std::min(ceiling(m), m.seen.transport.video(kHeadroom * carried(path)));
  return std::clamp(path.capacity_recent ? told : std::max(told, rate_), limits_.min, limits_.max);
}

base::BitRate SymbiosisPolicy::ceiling(const Moment& m) const {
  if (m.path.policer_rate.bps() == 0) return limits_.max;
  return std::min(limits_.max, m.seen.transport.video(kPoliced * m.path.policer_rate));
}

/// A frame of kBlindStep times the size would pass before the next one comes.
bool SymbiosisPolicy::roomy(const Moment& m) {
  return base::seconds(m.path.transit) < kRoomy * base::seconds(m.seen.frame_interval);
}

/// A frame has passed before the next one comes. The least round trip may have been that of a
/// full segment.
bool SymbiosisPolicy::idles(const Moment& m) {
  const auto busy = m.path.transit + base::ByteCount{m.seen.mss} / m.path.capacity;
  return base::seconds(busy) < kIdle * base::seconds(m.seen.frame_interval);
}

/// They have others' packets between them, or the acknowledgements come bunched: what has been
/// verified counts more.
bool SymbiosisPolicy::trains_disagree(const Moment& m) {
  return m.path.queueing_delay < kStill && !(m.path.capacity_recent && m.path.trains_agree);
}

Decision SymbiosisPolicy::set(base::BitRate rate, Reason reason) {
  const auto limited = std::clamp(rate, limits_.min, limits_.max);
  if (limited == rate_) return hold();
  if (limited > rate_) resume_ = {};
  rate_ = limited;
  return {rate_, reason};
}

void SymbiosisPolicy::hold_back(const Moment& m) {
  hold_until_ = m.now + std::max(kLeastHold, m.seen.srtt);
  resume_ = std::max(resume_, kTimeout * rate_);
}

void SymbiosisPolicy::earn_padding(const Observation& o) {
  if (o.delivered <= delivered_) return;
  const auto delivered = o.delivered - std::exchange(delivered_, o.delivered);
  const base::ByteCount earned{
      static_cast<std::int64_t>(kPaddingShare * static_cast<double>(delivered.bytes()))};
  padding_ =
      std::min(padding_ + earned, base::ByteCount{std::int64_t{kMostTrains * kTrain} * o.mss});
}

/// Faster than the path, for trains to show it; but a burst into a full queue is lost: into one
/// that others fill, or a short one, into which BBR goes on, whose window no loss makes smaller.
/// After an outage nothing is known of the path, and all that was lost is to be sent again.
base::BitRate SymbiosisPolicy::pace(const Moment& m) {
  if (m.seen.dupack > 0) lost_at_ = m.now;
  const bool lossy = m.now < lost_at_ + kLossy;
  if (lossy && m.path.cross_traffic) return std::max(m.path.highest, m.path.capacity);
  const auto rate = std::max(m.path.capacity, m.seen.transport.wire(rate_));
  return lossy && m.path.capacity_recent ? kLossyPace * rate : std::max(kLeastPace, kPace * rate);
}

/// A loss that no queue has caused, or a slow start that ended early, has left the window smaller
/// than the path needs: TCP grows it only as it is used, and we use no more than it allows. After a
/// leap it has room for the next: TCP's own pace, of the window over the round trip, would hide
/// from the trains what the path carries more.
std::uint32_t SymbiosisPolicy::window(const Moment& m, bool leapt) {
  const auto& [o, path, now, waits, quiet] = m;
  if (!o.ssthresh || o.recovering || path.cross_traffic || path.drain_rate.bps() > 0 ||
      o.mss == 0 || o.srtt > path.round_trip + undisturbed(path) ||
      now < congested_at_ + kSettled) {
    return 0;
  }
  base::BitRate video;
  if (path.capacity >= kSpare * o.transport.wire(rate_)) {
    video = o.transport.video(kHeadroom * path.capacity);
  }
  if (leapt && quiet) video = std::max(video, kStep * rate_);
  const auto needed = window_for(std::min(ceiling(m), video), o);
  if (o.cwnd >= needed || (now < window_at_ && needed <= window_)) return 0;
  window_at_ = now + o.srtt;
  return window_ = needed;
}

/// BBR looks for the least round trip by holding still, which is late frames. With a window that
/// is given it begins anew, and takes that round trip from the connection (tcp_min_rtt()).
std::uint32_t SymbiosisPolicy::renewal(const Moment& m) {
  const auto& o = m.seen;
  if (renew_at_ == base::Time{}) renew_at_ = m.now + kRenew;
  // Nothing in flight: it begins anew by itself.
  if (m.now < renew_at_ || o.recovering || o.in_flight.bytes() == 0) return 0;
  const bool calm = m.quiet && o.srtt <= o.min_rtt + undisturbed(m.path);
  if (!calm && !m.path.cross_traffic)
    return 0;  // the way may have become longer: BBR is to find that
  renew_at_ = m.now + kRenew;
  return std::max(o.cwnd, window_for(rate_, o));
}

}  // namespace abr
