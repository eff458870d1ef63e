#pragma once

#include <initializer_list>
#include <string>

namespace tcpinfo {

/// Keeps libbpf's warnings from the terminal: while it lives to explain what failed, and from then
/// on for good, since the server's log is the one that speaks. One at a time; before other threads
/// start.
class LibbpfLog {
 public:
  LibbpfLog();
  ~LibbpfLog();
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;

  /// Why `error` (an errno) came, in one line. `needs`: the capabilities (CAP_BPF, CAP_PERFMON,
  /// CAP_NET_ADMIN) for what was attempted.
  std::string explain(int error, std::initializer_list<int> needs) const;
};

}  // namespace tcpinfo
