#pragma once

#include <mutex>
#include <set>
#include <string>

namespace app {

/// Says once for each thing asked of viewers' sockets that it could not be had, and why.
/// Thread-safe.
class SocketWarnings {
 public:
  void failed(const std::string& what, const std::string& reason);
  void failed(const std::string& what, const std::string& hint, int error);  ///< errno

 private:
  std::mutex mutex_;
  std::set<std::string> said_;  // GUARDED_BY(mutex_); bounded by names in the configuration
};

}  // namespace app
