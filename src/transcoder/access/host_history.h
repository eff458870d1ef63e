#pragma once

#include <map>
#include <mutex>
#include <string>

namespace transcoder::access {

/// Whether the hosts of a stream's URI may have addresses that are not public: they may if they had
/// one when their name was first looked up. So a stranger's name cannot lead into the private
/// network later (DNS rebinding). Outlives the stream's connections. Thread-safe.
class HostHistory {
 public:
  /// `now_private`: whether the name has such an address now. Returns whether it may.
  bool may_be_private(const std::string& name, bool now_private) {
    std::lock_guard lock{mutex_};
    return first_private_.emplace(name, now_private).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, bool> first_private_;  // GUARDED_BY(mutex_); by name
};

}  // namespace transcoder::access
