#pragma once

#include <sys/types.h>

#include <vector>

#include "base/unique_fd.h"

namespace tcpinfo {

/// Unregisters congestion controls when its owner ends, also when that is killed: before Linux 6.4
/// they stay registered until someone deletes the element of their map. It is a process of its own,
/// forked by the constructor and ended by the destructor: holds the maps and a pipe from the owner,
/// no capability and nothing else, and outlives every signal but SIGKILL until the pipe closes.
/// What kills both at once (SIGKILL to the control group, the end of a PID namespace) leaves them
/// registered until `bpftool struct_ops unregister name NAME`.
class Guardian {
 public:
  /// `maps`: BPF_MAP_TYPE_STRUCT_OPS, registered now or later. Before other threads start. Throws
  /// base::SystemError.
  explicit Guardian(std::vector<base::UniqueFd> maps);
  /// Unregisters; returns when it is done.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  pid_t pid() const { return pid_; }

 private:
  std::vector<base::UniqueFd> maps_;
  base::UniqueFd pipe_;  ///< our end
  pid_t pid_ = -1;
};

}  // namespace tcpinfo
