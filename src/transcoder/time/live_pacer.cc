#include "transcoder/time/live_pacer.h"

#include <algorithm>

namespace transcoder {

namespace {

/// A larger step of the lateness is one of the source's clock: Pacer catches up with smaller
/// delays.
constexpr base::Duration kMaxCatchUp = Pacer::kMaxDelay;

}  // namespace

base::Time LivePacer::picture(base::Duration source, base::Time now, base::Time even_since) {
  if (pacer_ && now - std::max(even_since, paced_since_) > BurstDetector::kMemory) {
    pacer_.reset();
    bursts_ = {};
    wait_ = {};
  }
  if (!pacer_) {
    if (!bursts_.add(source, now)) return now;
    pacer_.emplace(Pacer::SourceKind::kNetwork);
    paced_since_ = now;
    lateness_ = now.time_since_epoch() - source;
    wait_ = lateness_ - bursts_.earliest();
  }
  const auto due = pacer_->picture(source, now);
  const auto step = due.time_since_epoch() - source - lateness_;
  lateness_ += step;
  if (step < kMaxCatchUp && step > -kMaxCatchUp) wait_ = std::max(wait_ + step, base::Duration{0});
  return due;
}

base::Time LivePacer::audio(base::Duration source, base::Time now) const {
  return pacer_ ? pacer_->audio(source).value_or(now) : now;
}

}  // namespace transcoder
