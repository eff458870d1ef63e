#pragma once

#include "base/units.h"

namespace app {

/// What stands first in the table of `symcast top`.
enum class SortKey {
  kTrouble,  ///< loss before recovery before the rest; then retransmissions, then queueing
  kRate,     ///< highest first, as all below
  kRtt,
  kRetransmits,  ///< of the last interval
  kUnsent,
};

struct TopOptions {
  base::Duration interval = std::chrono::seconds{1};
  bool once = false;
  SortKey sort = SortKey::kTrouble;
};

}  // namespace app
