#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace app {

/// Says once for each thing asked of viewers' sockets that it could not be had, and why; counts how
/// often. Thread-safe.
class SocketWarnings {
 public:
  void failed(const std::string& what, const std::string& reason);
  void failed(const std::string& what, const std::string& hint, int error);  ///< errno

  std::map<std::string, std::uint64_t> counts() const;  ///< of each thing that failed

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> counts_;  // GUARDED_BY(mutex_); bounded by names in the
                                                 // configuration
};

}  // namespace app
