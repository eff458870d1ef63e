#include "base/control_group.h"

#include <fstream>
#include <sstream>

namespace base {

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

ControlGroup ControlGroup::own() { return {mount_point(), group()}; }

}  // namespace base
