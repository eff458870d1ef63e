#pragma once

#include <string>

namespace transcoder {

/// Which sockets a process may connect, bind and send to any address.
enum class Sockets {
  kByServer,  ///< none: AccessGate asks the server
  kAll,
};

/// From now on the kernel refuses this process system calls that no source needs, and kills it at
/// those that only an attacker makes, such as execve (seccomp(2)). Call before the first thread.
/// Returns why it is not so; an empty text if it is.
std::string restrict_system_calls(Sockets sockets);

}  // namespace transcoder
