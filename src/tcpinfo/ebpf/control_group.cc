#include "tcpinfo/ebpf/control_group.h"

#include <fcntl.h>

#include <cerrno>

#include "base/control_group.h"

namespace tcpinfo {

int open_control_group() {
  const auto own = base::ControlGroup::own();
  if (own.mount.empty()) {
    errno = ENOENT;
    return -1;
  }
  return ::open((own.mount + own.path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

}  // namespace tcpinfo
