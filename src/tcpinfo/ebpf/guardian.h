#pragma once

#include <sys/types.h>

#include <vector>

#include "base/unique_fd.h"

namespace tcpinfo {

/// Unregisters congestion controls when its owner ends, even if the owner is killed: before Linux
/// 6.4 they stay registered until someone deletes the element of their map.
///
/// The guardian is a process of its own, forked by the constructor and ended by the destructor. It
/// holds the maps and a pipe from the owner, nothing else and no capability, and survives every
/// signal but SIGKILL until the pipe closes. If both processes are killed at once (SIGKILL to the
/// control group, the end of a PID namespace), the congestion controls stay registered until
/// `bpftool struct_ops unregister name NAME`.
class Guardian {
 public:
  /// `maps`: BPF_MAP_TYPE_STRUCT_OPS, registered now or later. Call before other threads start.
  /// Throws base::SystemError.
  explicit Guardian(std::vector<base::UniqueFd> maps);
  /// Unregisters and waits until that is done.
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
