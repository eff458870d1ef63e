#include "abr/comparison/dbr_policy.h"

#include <algorithm>
#include <utility>

namespace abr {

namespace {

using namespace std::chrono_literals;

// DBR_TRIGGER_USEC, MIN_ESTIMATE_DURATION_MS, MAX_ESTIMATE_DURATION_MS, DBR_INC_TIMER
constexpr base::Duration kTrigger = 200ms;
constexpr base::Duration kShortest = 1s;
constexpr base::Duration kLongest = 2s;
constexpr base::Duration kRestore = 4s;
constexpr double kRestoreStep = 0.1;  // of the maximum
constexpr std::int64_t kGrain = 100'000;

}  // namespace

Decision DbrPolicy::decide(const Observation& o, const PathState&, base::Time now) {
  if (!std::exchange(started_, true)) {
    restore_at_ = now + kRestore;
    return {rate_, Reason::kStart};
  }
  note_sent(o, now);
  if (o.queued / o.transport.wire(rate_) >= kTrigger) return cut(o, now);
  if (rate_ >= limits_.max || now < restore_at_) return {rate_, Reason::kHold};
  before_raise_ = rate_;
  rate_ = std::min(limits_.max, rate_ + kRestoreStep * limits_.max);
  restore_at_ = now + kRestore;
  return {rate_, Reason::kRestore};
}

void DbrPolicy::note_sent(const Observation& o, base::Time now) {
  sent_.push_back({now, o.delivered + o.in_flight + o.notsent});
  while (now - sent_.front().at > kLongest) sent_.pop_front();
}

std::optional<base::BitRate> DbrPolicy::goodput(const Observation& o) const {
  const auto time = sent_.back().at - sent_.front().at;
  if (time < kShortest) return {};
  const auto sent = std::max(sent_.back().total - sent_.front().total, base::ByteCount{});
  const auto video = o.transport.video(base::BitRate::of(sent, time));
  return base::BitRate{video.bps() / kGrain * kGrain};
}

Decision DbrPolicy::cut(const Observation& o, base::Time now) {
  const auto estimate = goodput(o);
  if (!estimate) return {rate_, Reason::kHold};
  const auto next = *estimate < rate_ ? *estimate : before_raise_.value_or(rate_);
  before_raise_.reset();
  restore_at_ = now + kRestore;
  const auto limited = std::max(limits_.min, next);
  if (limited >= rate_) return {rate_, Reason::kHold};
  sent_.clear();  // the next estimate is of the new rate
  rate_ = limited;
  return {rate_, Reason::kBacklog};
}

}  // namespace abr
