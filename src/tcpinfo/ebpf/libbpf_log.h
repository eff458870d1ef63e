#pragma once

#include <initializer_list>
#include <string>

namespace tcpinfo {

/// Captures libbpf's warnings while it lives, to explain a failure. Afterwards they are discarded
/// for good: libbpf would write them to the terminal, but the server has its own log. Create one at
/// a time, before other threads start.
class LibbpfLog {
 public:
  LibbpfLog();
  ~LibbpfLog();
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;

  /// The cause of `error` (an errno), in one line. `needs`: the capabilities that the attempt
  /// needed (CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN).
  std::string explain(int error, std::initializer_list<int> needs) const;
};

}  // namespace tcpinfo
