#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace app {

/// Counts the socket options that the kernel refused for viewers, and logs the first refusal of
/// each with its reason. Thread-safe.
class SocketWarnings {
 public:
  void failed(const std::string& option, const std::string& reason);
  /// `error`: an errno.
  void failed(const std::string& option, const std::string& hint, int error);

  std::map<std::string, std::uint64_t> counts() const;  ///< refusals by option

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::uint64_t> counts_;  // GUARDED_BY(mutex_); bounded by the
                                                 // options in the configuration
};

}  // namespace app
