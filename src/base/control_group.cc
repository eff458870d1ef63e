#include "base/control_group.h"

#include <fmt/format.h>

#include <algorithm>
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

bool is_octal(char c) { return c >= '0' && c <= '7'; }

/// The kernel writes blanks, line feeds and backslashes as "\040" (mangle_path, fs/seq_file.c).
std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const bool escape = text.size() >= 4 && text.front() == '\\' &&
                        std::ranges::all_of(text.substr(1, 3), is_octal);
    out += escape ? static_cast<char>(64 * (text[1] - '0') + 8 * (text[2] - '0') + text[3] - '0')
                  : text.front();
    text.remove_prefix(escape ? 4 : 1);
  }
  return out;
}

std::string mounted(std::string_view type, std::string_view option) {
  std::ifstream mounts{"/proc/self/mountinfo"};
  return mount_point(mounts, type, option);
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

/// It is the fifth word of its line, where type, source and options follow " - ".
std::string mount_point(std::istream& mountinfo, std::string_view type, std::string_view option) {
  for (std::string line; std::getline(mountinfo, line);) {
    if (line.find(fmt::format(" - {} ", type)) == std::string::npos) continue;
    if (!option.empty() && !has_word(line.substr(line.rfind(' ') + 1), option)) continue;
    std::istringstream words{line};
    std::string point;
    for (int i = 0; i < 5; ++i) words >> point;
    return unescaped(point);
  }
  return {};
}

ControlGroup ControlGroup::own() { return {mounted("cgroup2", {}), group({})}; }

ControlGroup ControlGroup::legacy(std::string_view controller) {
  return {mounted("cgroup", controller), group(controller)};
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
