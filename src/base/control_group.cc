#include "base/control_group.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace base {

namespace {

bool has_word(std::string_view list, std::string_view word) {
  for (std::string_view rest = list; !rest.empty();) {
    const auto end = std::min(rest.find(','), rest.size());
    if (rest.substr(0, end) == word) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

/// The mount point of this type, in whose options the word occurs: the fifth word of its line in
/// mountinfo, where type, source and options follow " - " (proc(5)). Empty if it is not mounted.
std::string mount_point(std::string_view type, std::string_view option) {
  std::ifstream mounts{"/proc/self/mountinfo"};
  for (std::string line; std::getline(mounts, line);) {
    const auto dash = line.find(fmt::format(" - {} ", type));
    if (dash == std::string::npos) continue;
    if (!option.empty() && !has_word(line.substr(line.rfind(' ') + 1), option)) continue;
    std::istringstream words{line};
    std::string point;
    for (int i = 0; i < 5; ++i) words >> point;
    return point;
  }
  return {};
}

/// The path of this process's group: of the line "ID:CONTROLLERS:PATH", without controllers in
/// version 2.
std::string group(std::string_view controller) {
  std::ifstream groups{"/proc/self/cgroup"};
  for (std::string line; std::getline(groups, line);) {
    const auto names = line.find(':') + 1;
    const auto path = line.find(':', names);
    if (path == std::string::npos) continue;
    const auto list = std::string_view{line}.substr(names, path - names);
    if (controller.empty() ? list.empty() : has_word(list, controller)) {
      return line.substr(path + 1);
    }
  }
  return {};
}

}  // namespace

ControlGroup ControlGroup::own() { return {mount_point("cgroup2", {}), group({})}; }

ControlGroup ControlGroup::legacy(std::string_view controller) {
  return {mount_point("cgroup", controller), group(controller)};
}

std::vector<std::filesystem::path> ControlGroup::levels() const {
  std::vector<std::filesystem::path> result;
  if (mount.empty()) return result;
  std::filesystem::path level{mount + path};
  while (level.has_relative_path() && level.native().size() >= mount.size()) {
    result.push_back(level);
    level = level.parent_path();
  }
  return result;
}

}  // namespace base
