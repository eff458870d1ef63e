#pragma once

#include <string>

namespace tcpinfo {

/// Keeps libbpf's warnings from the terminal while it lives, to explain what failed. One at a time;
/// before other threads start.
class LibbpfLog {
 public:
  LibbpfLog();
  ~LibbpfLog();
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;

  /// Why `error` (an errno) came, in one line. `needs`: the capabilities for what was attempted.
  std::string explain(int error, const char* needs) const;
};

}  // namespace tcpinfo
