#pragma once

#include "base/units.h"

namespace app {

/// Before a frame is captured: for the loop to wake up, and for the encoder to be told.
constexpr base::Duration kSampleLead = std::chrono::milliseconds{3};

/// When to look at a viewer's connection once more: just before the first frame that can still
/// follow what is seen then. `captured`: when the newest one was, not after `now`.
inline base::Time next_sample_time(base::Time captured, base::Duration interval, base::Time now) {
  const auto since = now + kSampleLead - captured;
  return now + interval - since % interval;
}

}  // namespace app
