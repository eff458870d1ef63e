#pragma once

namespace tcpinfo {

/// Opens the directory of this process's control group (cgroups(7), version 2). Returns a
/// descriptor that the caller closes; -1 with errno if there is none.
int open_control_group();

}  // namespace tcpinfo
