#include "transcoder/time/frame_rate_limit.h"

#include <algorithm>
#include <cmath>

namespace transcoder {

namespace {

/// By how much the kept rate may exceed the limit. SourceInterval may be 5 % off at a wobble of
/// ±12 ms, and a source at the limit must lose nothing. A step that was chosen stays until the rate
/// exceeds the limit by twice that, or obeys it with a smaller step: the estimate wavers.
constexpr double kRateTolerance = 0.0625;

/// An even rhythm may cost this much of the limit. 40 under a limit of 30 becomes an even 20 (67
/// %), 50 under 40 stays an uneven 40 (an even 25 is 62 %).
constexpr double kMinEvenShare = 0.64;

/// How much earlier than its grid point a picture may be, in intervals of the limit. Half or more
/// would pass every picture of a source that is twice as fast.
constexpr double kGridSlack = 0.4;

constexpr int kBurstDivisor = 4;

/// One of how many pictures to keep, if the source has `ratio` times as many as the limit allows.
double step_for(double ratio, double tolerance) {
  const double step = std::max(1., std::ceil(ratio / (1 + tolerance)));
  return step == 1 || ratio / step >= kMinEvenShare ? step : ratio;
}

}  // namespace

FrameRateLimit::FrameRateLimit(double max_rate) : interval_{base::from_seconds(1 / max_rate)} {}

bool FrameRateLimit::admit(media::Pts pts) {
  source_.add(pts);
  const bool burst = kept_ && pts - *kept_ < interval_ / kBurstDivisor;
  if (!due(pts) || burst) return false;
  phase_ = step_ > 0 ? std::max(0., phase_ - step_) : 0;
  const auto slack = base::from_seconds(base::seconds(interval_) * kGridSlack);
  grid_ = std::max(grid_.value_or(pts), pts - slack) + interval_;
  kept_ = pts;
  return true;
}

bool FrameRateLimit::due(media::Pts pts) {
  constexpr double kRoundingError = 1e-6;  // of phase_
  const auto source = source_.measured();
  if (!source) {
    step_ = 0;
    ++phase_;
    return !grid_ || pts >= *grid_ - base::from_seconds(base::seconds(interval_) * kGridSlack);
  }
  choose_step(*source);
  phase_ = std::min(phase_, step_) + 1;
  return phase_ >= step_ - kRoundingError;
}

double FrameRateLimit::rate() const {
  const auto source = source_.measured();
  return source && step_ > 0 ? 1 / (base::seconds(*source) * step_) : 0;
}

void FrameRateLimit::choose_step(base::Duration source) {
  const double ratio = base::seconds(interval_) / base::seconds(source);
  if (step_for(ratio, 0) == step_ || step_for(ratio, 2 * kRateTolerance) == step_) return;
  step_ = step_for(ratio, kRateTolerance);
}

}  // namespace transcoder
