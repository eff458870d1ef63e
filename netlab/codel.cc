#include "netlab/codel.h"

#include <cmath>

namespace netlab {

namespace {
constexpr base::ByteCount kMtu{1500};
constexpr std::uint32_t kRateMemory = 16;  // intervals after which the last drop rate is forgotten
}  // namespace

bool CoDel::drops(base::Duration sojourn, base::ByteCount queued, base::Time now) {
  if (!above(sojourn, queued, now)) {
    dropping_ = false;
    return false;
  }
  if (dropping_) {
    if (now < drop_next_) return false;
    ++count_;
    drop_next_ = next_drop(drop_next_);
    return true;
  }
  dropping_ = true;
  // Section 5.5: soon after a dropping phase, begins near the drop rate that controlled the queue.
  const std::uint32_t delta = count_ - last_count_;
  count_ = delta > 1 && now - drop_next_ < kRateMemory * kInterval ? delta : 1;
  last_count_ = count_;
  drop_next_ = next_drop(now);
  return true;
}

bool CoDel::above(base::Duration sojourn, base::ByteCount queued, base::Time now) {
  if (sojourn < kTarget || queued <= kMtu) {
    first_above_ = {};
    return false;
  }
  if (first_above_ == base::Time{}) {
    first_above_ = now + kInterval;
    return false;
  }
  return now >= first_above_;
}

base::Time CoDel::next_drop(base::Time after) const {
  return after + base::from_seconds(base::seconds(kInterval) / std::sqrt(count_));
}

}  // namespace netlab
