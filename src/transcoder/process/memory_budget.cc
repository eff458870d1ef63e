#include "transcoder/process/memory_budget.h"

#include <algorithm>

namespace transcoder {

bool MemoryBudget::note(const void* source, base::ByteCount use) {
  std::lock_guard lock{mutex_};
  if (use == base::ByteCount{}) {
    uses_.erase(source);
    return false;
  }
  uses_[source] = use;
  base::ByteCount all;
  base::ByteCount most;
  for (const auto& [_, each] : uses_) {
    all += each;
    most = std::max(most, each);
  }
  return all > limit_ && use == most;
}

}  // namespace transcoder
