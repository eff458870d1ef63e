#pragma once

#include <filesystem>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace base {

/// A control group of this process (cgroups(7)).
struct ControlGroup {
  std::string mount;  ///< where control groups are mounted; empty if they are not
  std::string path;   ///< of ours, from there: "/PATH"

  static ControlGroup own();  ///< of version 2
  /// Of version 1, whose controllers ("memory") have groups of their own.
  static ControlGroup legacy(std::string_view controller);

  /// The folders of the group and of those above it, as far as they can be seen: in a container
  /// ours is the root of what is mounted. A limit holds for all below.
  std::vector<std::filesystem::path> levels() const;
};

/// The mount point of this type in the lines of a mountinfo (proc(5)), in whose options the word
/// occurs, unless it is empty. Empty if it is not mounted.
std::string mount_point(std::istream& mountinfo, std::string_view type,
                        std::string_view option = {});

}  // namespace base
