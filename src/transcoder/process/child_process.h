#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "base/units.h"

namespace transcoder {

/// A process of the server's, from its start until it has ended and was reaped. For one thread, and
/// that thread has to live as long as the process: it receives SIGKILL when the thread that started
/// it ends (PR_SET_PDEATHSIG).
class ChildProcess {
 public:
  /// (a descriptor of ours, its number in the process). Numbers from 3 on.
  using Descriptors = std::span<const std::pair<int, int>>;

  struct Exit {
    int status = 0;  ///< exit code, or the signal's number
    bool by_signal = false;
  };

  /// Starts the program that is open as `program`, in a session of its own, with /dev/null as
  /// input, `output` as standard output and error, and no other descriptors than those given.
  /// Throws base::SystemError.
  ChildProcess(int program, std::vector<std::string> arguments, int output,
               Descriptors descriptors);
  /// Kills it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// Readable once it has ended.
  int fd() const { return pidfd_.get(); }
  void kill();
  /// Waits for the end. Returns nullopt if it has not come within `timeout`, which may be 0.
  std::optional<Exit> wait(base::Duration timeout);

 private:
  pid_t pid_ = -1;
  base::UniqueFd pidfd_;
  std::optional<Exit> exit_;
};

}  // namespace transcoder
