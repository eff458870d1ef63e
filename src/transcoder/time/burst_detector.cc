#include "transcoder/time/burst_detector.h"

#include <algorithm>
#include <utility>

#include "transcoder/time/dejitter.h"
#include "transcoder/time/pacer.h"

namespace transcoder {

namespace {

/// Dejitter evens out what is smaller.
constexpr base::Duration kMinBurst = Dejitter::kMaxWait;

}  // namespace

void BurstDetector::restart(base::Duration lateness) {
  phase_ = Phase::kUnknown;
  low_ = high_ = lateness;
  rise_.reset();
}

bool BurstDetector::add(base::Duration source, base::Time now) {
  const auto lateness = now.time_since_epoch() - source;
  const auto last = std::exchange(last_, lateness);
  if (!last || lateness - *last > Pacer::kMaxGap || *last - lateness > Pacer::kMaxGap) {
    restart(lateness);
    return false;
  }
  if (phase_ != Phase::kHigh) low_ = std::min(low_, lateness);
  if (phase_ != Phase::kLow) high_ = std::max(high_, lateness);
  if (phase_ != Phase::kHigh && lateness - low_ > kMinBurst) {
    phase_ = Phase::kHigh;
    high_ = lateness;
    const auto before = std::exchange(rise_, now);
    return before && now - *before <= kMemory;
  }
  if (phase_ != Phase::kLow && high_ - lateness > kMinBurst) {
    phase_ = Phase::kLow;
    low_ = lateness;
  }
  return false;
}

}  // namespace transcoder
