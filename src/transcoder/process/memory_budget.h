#pragma once

#include <map>
#include <mutex>

#include "base/units.h"

namespace transcoder {

/// The memory of all sources' processes together. Without it, some that each stay within their
/// limit could use up that of the service, and the kernel would end one of them, or the server.
/// Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(base::ByteCount limit) : limit_{limit} {}

  base::ByteCount limit() const { return limit_; }
  /// `source` uses this now; 0 after its end. Returns whether it has to end: because all
  /// together use more than the limit, and it uses the most.
  bool note(const void* source, base::ByteCount use);

 private:
  const base::ByteCount limit_;
  std::mutex mutex_;
  std::map<const void*, base::ByteCount> uses_;  // GUARDED_BY(mutex_)
};

}  // namespace transcoder
