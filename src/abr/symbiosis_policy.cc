#include "abr/symbiosis_policy.h"

#include <algorithm>
#include <utility>

namespace abr {

namespace {

using namespace std::chrono_literals;

// Where no source is named, a constant is what served best over all of tests/sim's scenarios.

// Of the capacity. x264's pictures exceed their share by up to a tenth now and then
// (bench/encoder); a rate between the two is left alone, for trains err by as much.
constexpr double kHeadroom = 0.9;
constexpr double kMost = 0.97;
constexpr double kPoliced = 0.95;  // of what a token bucket lets through
constexpr double kDeadBand = 0.03;
constexpr base::Duration kDrain = 100ms;
constexpr double kLeastOfCap = 0.05;
constexpr base::Duration kLeastHold = 150ms;
constexpr base::Duration kQuiet = 30ms;  // about a picture
constexpr base::Duration kStill = 15ms;

constexpr double kStep = 2.0;
constexpr double kBlindStep = 1.5;
constexpr double kIdle = 0.85;       // of an interval: the path waits for the next picture
constexpr double kRoomy = 0.6;       // of an interval: a picture passes kBlindStep times as long
constexpr double kSmallStep = 0.01;  // of the ceiling
// A train of 8 segments is acknowledged four times; 3 % of the bytes pay for one every 2 s from
// 150 kbit/s on.
constexpr double kProof = 0.5;  // of what the rate allows: smaller pictures prove nothing
constexpr int kTrain = 8;
constexpr base::Duration kProbeEvery = 2s;
constexpr double kPaddingShare = 0.03;
constexpr int kMostTrains = 2;  // saved up

constexpr base::Duration kShareDrain = 1s;
constexpr double kShareStep = 1.08;
constexpr base::Duration kShareMemory = 2s;  // yielding again that soon is not from a new share
constexpr double kOfAllowance = 0.97;

constexpr double kTimeout = 0.4;  // less than the paper's 0.55: nothing has come back at all
constexpr base::Duration kSkip = 120ms;
constexpr base::Duration kDiscard = 400ms;

// TCP's own pace is 1.2 to 2 times window over round trip and hides the path's; ours lets a
// picture leave in less than half its interval, and does not burst.
constexpr double kPace = 2.5;
constexpr auto kLeastPace = base::BitRate::mbps(10);

constexpr base::Duration kCalm = 20ms;
constexpr base::Duration kSettled = 1s;
constexpr double kSpare = 1.2;
constexpr double kRoom = 1.25;

/// What gets through now, on the wire.
base::BitRate carried(const PathState& path) {
  auto least = path.capacity;
  if (path.service.bps() > 0) least = std::min(least, path.service);
  if (path.allowance.bps() > 0) least = std::min(least, path.allowance);
  return least;
}

}  // namespace

Decision SymbiosisPolicy::decide(const Observation& o, const PathState& path, base::Time now) {
  if (!std::exchange(started_, true)) return fallback_.decide(o, path, now);
  earn_padding(o);
  const Moment m = moment(o, path, now);
  Decision decision = choose(m);
  decision.sustains = sustainable(m);
  decision.window = window(m);
  decision.padding = padding(m);
  decision.pacing =
      std::max(kLeastPace, kPace * std::max(path.capacity, o.transport.wire(decision.rate)));
  return decision;
}

SymbiosisPolicy::Moment SymbiosisPolicy::moment(const Observation& o, const PathState& path,
                                                base::Time now) const {
  const auto waits = path.backlog / std::max(path.capacity, o.transport.wire(rate_));
  const bool quiet = waits < kQuiet && path.queueing < kQuiet && path.service.bps() == 0;
  return {o, path, now, waits, quiet};
}

Decision SymbiosisPolicy::choose(const Moment& m) {
  if (m.path.capacity.bps() == 0) return fall_back(m);
  if (m.seen.rexmt > 0) return timeout(m);
  if (m.seen.receiver_limited) return hold();  // its path is as good as before
  if (m.seen.dupack > 0) {
    if (const auto less = fast_retransmit(m)) return *less;
  }
  if (m.path.shared) return share(m);
  sharing_ = false;
  return follow(m);
}

/// No picture's times are known: the kernel does not tell, or has not yet. Nothing is discarded:
/// one who joins begins with the pictures since the last keyframe.
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
  const base::ByteCount window{std::int64_t{*m.seen.ssthresh} * m.seen.mss};
  const auto allowed = m.seen.transport.video(kHeadroom * base::BitRate::of(window, m.seen.srtt));
  if (allowed >= rate_) return {};
  hold_back(m);
  return relieved(set(std::min(allowed, wanted(m)), Reason::kDupack), m.waits);
}

/// Others keep the queue filled: TCP's window says what our share is, and grows only as it is used.
Decision SymbiosisPolicy::share(const Moment& m) {
  Decision decision = hold();
  if (!std::exchange(sharing_, true)) {
    decision = set(std::min(ceiling(m), std::max(rate_, 0.5 * calm_rate_)), Reason::kStep);
  } else if (m.now >= step_at_) {
    decision = m.path.allowance.bps() > 0 ? yield(m) : take(m);
  }
  // Their queue is not ours to drain; what TCP has not taken is.
  return relieved(decision, m.seen.backlog);
}

/// TCP may not send what there is.
Decision SymbiosisPolicy::yield(const Moment& m) {
  const auto late = base::BitRate::of(m.seen.queued + m.seen.notsent, kShareDrain);
  const auto most = m.seen.transport.video(kOfAllowance * m.path.allowance - late);
  if (most >= rate_) return hold();
  if (m.now > yielded_at_ + kShareMemory) share_ = rate_;
  yielded_at_ = m.now;
  step_at_ = m.now + m.seen.srtt;
  return set(most, Reason::kBacklog);
}

/// Up a step; straight to what we had before, where the window has room for it again: BBR makes it
/// small for a moment every 10 s (PROBE_RTT), CUBIC after a loss by less than we have yielded.
Decision SymbiosisPolicy::take(const Moment& m) {
  step_at_ = m.now + m.seen.srtt + m.seen.frame_interval;
  // There are two of us at least.
  const auto half =
      std::min(ceiling(m), m.seen.transport.video(0.5 * std::max(m.path.highest, m.path.capacity)));
  if (rate_ >= half || m.seen.srtt.count() == 0) return hold();
  const base::ByteCount window{std::int64_t{m.seen.cwnd} * m.seen.mss};
  const auto room = m.seen.transport.video(kOfAllowance * base::BitRate::of(window, m.seen.srtt));
  const auto next = std::max(kShareStep * rate_, std::min(share_, room));
  return set(std::min(half, next), Reason::kStep);
}

Decision SymbiosisPolicy::follow(const Moment& m) {
  if (m.quiet && m.now >= hold_until_) calm_rate_ = rate_;
  const auto want = wanted(m);
  if (m.quiet && !m.path.fresh && ceiling(m) >= (1 - kDeadBand) * rate_) return rise_blindly(m);
  auto most = want;
  if (m.quiet) {
    most = trains_disagree(m) ? rate_
                              : std::max(want, m.seen.transport.video(kMost * m.path.capacity));
  }
  if (std::min(most, ceiling(m)) < (1 - kDeadBand) * rate_) return fall(m, want);
  return m.quiet ? rise(m, want) : relieved(hold(), m.waits);
}

Decision SymbiosisPolicy::fall(const Moment& m, base::BitRate wanted) {
  hold_back(m);
  congested_at_ = m.now;
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
  if (m.now < hold_until_ || m.now < step_at_) return hold();
  if (wanted > (1 + kDeadBand) * rate_) return step(m, std::min(wanted, kStep * rate_));
  const auto more = std::min(ceiling(m), rate_ + kSmallStep * limits_.max);
  if (!trains_disagree(m) || more <= rate_) return hold();
  return m.path.trains || idles(m) ? step(m, more) : hold();
}

Decision SymbiosisPolicy::step(const Moment& m, base::BitRate rate) {
  step_at_ = m.now + m.seen.min_rtt + 2 * m.seen.frame_interval;
  return set(rate, Reason::kStep);
}

/// Nothing tells of the capacity. A step shows whether it was too much, where the encoder needs
/// what the rate allows.
Decision SymbiosisPolicy::rise_blindly(const Moment& m) {
  const auto limit = ceiling(m);
  if (rate_ >= limit || m.path.queueing > kStill + m.path.jitter || m.now < hold_until_ ||
      m.now < step_at_) {
    return hold();
  }
  const auto due = m.seen.transport.wire(rate_) * m.seen.frame_interval;
  if (m.path.picture.bytes() < kProof * static_cast<double>(due.bytes())) return hold();
  const auto next = roomy(m) ? kBlindStep * rate_ : rate_ + kSmallStep * limits_.max;
  return step(m, std::min(limit, next));
}

/// What makes the next picture a train, where pictures are too short.
base::ByteCount SymbiosisPolicy::padding(const Moment& m) {
  if (m.path.fresh || !m.quiet || !roomy(m) || m.now < probe_at_ || rate_ >= ceiling(m)) return {};
  const auto missing = base::ByteCount{std::int64_t{kTrain} * m.seen.mss} - m.path.picture;
  if (missing.bytes() <= 0 || missing > padding_) return {};
  padding_ -= missing;
  probe_at_ = m.now + kProbeEvery;
  return missing;
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
  if (path.capacity.bps() == 0 || path.shared) return {};
  const auto told = std::min(ceiling(m), m.seen.transport.video(kHeadroom * carried(path)));
  return std::clamp(path.fresh ? told : std::max(told, rate_), limits_.min, limits_.max);
}

base::BitRate SymbiosisPolicy::ceiling(const Moment& m) const {
  if (m.path.policed.bps() == 0) return limits_.max;
  return std::min(limits_.max, m.seen.transport.video(kPoliced * m.path.policed));
}

/// A picture of kBlindStep times the size would pass before the next one comes.
bool SymbiosisPolicy::roomy(const Moment& m) {
  return base::seconds(m.path.transit) < kRoomy * base::seconds(m.seen.frame_interval);
}

/// A picture has passed before the next one comes. The least round trip may have been that of a
/// full segment.
bool SymbiosisPolicy::idles(const Moment& m) {
  const auto busy = m.path.transit + base::ByteCount{m.seen.mss} / m.path.capacity;
  return base::seconds(busy) < kIdle * base::seconds(m.seen.frame_interval);
}

/// They have others' packets between them, or the acknowledgements come bunched: what has been
/// verified counts more.
bool SymbiosisPolicy::trains_disagree(const Moment& m) {
  return m.path.queueing < kStill && !(m.path.fresh && m.path.certain);
}

Decision SymbiosisPolicy::set(base::BitRate rate, Reason reason) {
  const auto limited = std::clamp(rate, limits_.min, limits_.max);
  if (limited == rate_) return hold();
  rate_ = limited;
  return {rate_, reason};
}

void SymbiosisPolicy::hold_back(const Moment& m) {
  hold_until_ = m.now + std::max(kLeastHold, m.seen.srtt);
}

void SymbiosisPolicy::earn_padding(const Observation& o) {
  if (o.delivered <= delivered_) return;
  const auto delivered = o.delivered - std::exchange(delivered_, o.delivered);
  const base::ByteCount earned{
      static_cast<std::int64_t>(kPaddingShare * static_cast<double>(delivered.bytes()))};
  padding_ =
      std::min(padding_ + earned, base::ByteCount{std::int64_t{kMostTrains * kTrain} * o.mss});
}

/// A loss that no queue has caused, or a slow start that ended early, has left the window smaller
/// than the path needs: TCP grows it only as it is used, and we use no more than it allows.
std::uint32_t SymbiosisPolicy::window(const Moment& m) {
  const auto& [o, path, now, waits, quiet] = m;
  if (!o.ssthresh || o.recovering || path.shared || path.service.bps() > 0 || o.mss == 0 ||
      path.queueing > kCalm || path.capacity < kSpare * o.transport.wire(rate_) ||
      now < window_at_ || now < congested_at_ + kSettled) {
    return 0;
  }
  const auto wire =
      o.transport.wire(std::min(limits_.max, o.transport.video(kHeadroom * path.capacity)));
  const auto needed =
      static_cast<std::uint32_t>(kRoom * (wire * (o.srtt + o.frame_interval)).bytes() / o.mss);
  if (o.cwnd >= needed) return 0;
  window_at_ = now + o.srtt;
  return needed;
}

}  // namespace abr
