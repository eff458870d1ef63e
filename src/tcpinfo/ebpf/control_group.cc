#include "tcpinfo/ebpf/control_group.h"

#include <fcntl.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

namespace tcpinfo {

namespace {

/// The mount point of cgroup version 2: the fifth word of its line in mountinfo, where the type
/// follows " - " (proc(5)). Empty if it is not mounted.
std::string mount_point() {
  std::ifstream mounts{"/proc/self/mountinfo"};
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream words{line};
    std::string point;
    for (int i = 0; i < 5; ++i) words >> point;
    return point;
  }
  return {};
}

/// The group of this process, relative to the mount point: "/PATH" of the line "0::/PATH".
std::string group() {
  std::ifstream groups{"/proc/self/cgroup"};
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return {};
}

}  // namespace

int open_control_group() {
  const std::string point = mount_point();
  if (point.empty()) {
    errno = ENOENT;
    return -1;
  }
  return ::open((point + group()).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

}  // namespace tcpinfo
