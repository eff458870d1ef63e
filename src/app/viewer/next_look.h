#pragma once

#include "base/units.h"

namespace app {

/// Before a picture is captured: for the loop to wake up, and for the encoder to be told.
constexpr base::Duration kLookAhead = std::chrono::milliseconds{3};

/// When to look at a viewer's connection once more: just before the first picture that can still
/// follow what is seen then. `captured`: when the newest one was, not after `now`.
inline base::Time next_look(base::Time captured, base::Duration interval, base::Time now) {
  const auto since = now + kLookAhead - captured;
  return now + interval - since % interval;
}

}  // namespace app
