#pragma once

#include <cstdint>

namespace app {

/// The state of the process, as Prometheus' client libraries report it. A value.
struct ProcessState {
  double cpu_seconds = 0;    ///< user and system
  double start_seconds = 0;  ///< Unix time
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_descriptors = 0;
  std::uint64_t max_descriptors = 0;

  /// Of this process, from /proc (proc(5)). Members that cannot be read stay 0.
  static ProcessState read();
};

}  // namespace app
