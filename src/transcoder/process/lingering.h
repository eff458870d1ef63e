#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "transcoder/process/child_process.h"

namespace transcoder {

/// Processes that were killed and have not ended yet, because they wait for a disk or a share.
/// Thread-safe.
class Lingering {
 public:
  void add(const std::string& stream, std::unique_ptr<ChildProcess> process);
  /// How many of the stream's have still not ended.
  std::size_t count(const std::string& stream);

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<ChildProcess>>>
      processes_;  // GUARDED_BY(mutex_)
};

}  // namespace transcoder
