#pragma once

#include "base/units.h"

namespace app {

/// Sort order of the table of `symcast top`, highest first.
enum class SortKey {
  kTrouble,  ///< loss, then recovery, then retransmissions, then queueing delay
  kRate,
  kRtt,
  kRetransmits,  ///< in the last interval
  kUnsent,
};

struct TopOptions {
  base::Duration interval = std::chrono::seconds{1};
  bool once = false;
  SortKey sort = SortKey::kTrouble;
};

}  // namespace app
