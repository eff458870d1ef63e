#pragma once

#include <string>

namespace base {

/// The control group (version 2, cgroups(7)) of this process.
struct ControlGroup {
  std::string mount;  ///< where control groups are mounted; empty if they are not
  std::string path;   ///< of ours, from there: "/PATH"

  static ControlGroup own();
};

}  // namespace base
