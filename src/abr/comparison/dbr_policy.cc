#include "abr/comparison/dbr_policy.h"

#include <algorithm>
#include <utility>

namespace abr {

namespace {

using namespace std::chrono_literals;

// OBS's values, with OBS's names. Other values would be another rule.
constexpr base::Duration kTriggerTime = 200ms;    // DBR_TRIGGER_USEC
constexpr base::Duration kMinEstimateTime = 1s;   // MIN_ESTIMATE_DURATION_MS
constexpr base::Duration kMaxEstimateTime = 2s;   // MAX_ESTIMATE_DURATION_MS
constexpr base::Duration kRestoreInterval = 4s;   // DBR_INC_TIMER
constexpr double kRestoreShare = 0.1;             // dbr_inc_bitrate, of the maximum
constexpr std::int64_t kEstimateGrain = 100'000;  // bit/s, to which an estimate is rounded down

}  // namespace

Decision DbrPolicy::decide(const Observation& o, const PathState&, base::Time now) {
  if (!std::exchange(started_, true)) {
    restore_at_ = now + kRestoreInterval;
    return {rate_, Reason::kStart};
  }
  note_sent(o, now);
  if (o.queued / o.transport.wire(rate_) >= kTriggerTime) return cut(o, now);
  if (rate_ >= limits_.max || now < restore_at_) return {rate_, Reason::kHold};
  before_raise_ = rate_;
  rate_ = std::min(limits_.max, rate_ + kRestoreShare * limits_.max);
  restore_at_ = now + kRestoreInterval;
  return {rate_, Reason::kRestore};
}

void DbrPolicy::note_sent(const Observation& o, base::Time now) {
  sent_.push_back({now, o.delivered + o.in_flight + o.notsent});
  while (now - sent_.front().at > kMaxEstimateTime) sent_.pop_front();
}

std::optional<base::BitRate> DbrPolicy::goodput(const Observation& o) const {
  const auto time = sent_.back().at - sent_.front().at;
  if (time < kMinEstimateTime) return {};
  const auto sent = std::max(sent_.back().total - sent_.front().total, base::ByteCount{});
  const auto video = o.transport.video(base::BitRate::of(sent, time));
  return base::BitRate{video.bps() / kEstimateGrain * kEstimateGrain};
}

Decision DbrPolicy::cut(const Observation& o, base::Time now) {
  const auto estimate = goodput(o);
  if (!estimate) return {rate_, Reason::kHold};
  const auto next = *estimate < rate_ ? *estimate : before_raise_.value_or(rate_);
  before_raise_.reset();
  restore_at_ = now + kRestoreInterval;
  const auto limited = std::max(limits_.min, next);
  if (limited >= rate_) return {rate_, Reason::kHold};
  sent_.clear();  // the next estimate is of the new rate
  rate_ = limited;
  return {rate_, Reason::kBacklog};
}

}  // namespace abr
