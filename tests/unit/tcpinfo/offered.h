#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "tcpinfo/socket_control.h"

namespace tcpinfo {

/// Whether the kernel has a congestion control of this name.
inline bool is_offered(const std::string& kernel_name) {
  const auto all = " " + available_congestion_controls() + " ";
  return all.find(" " + kernel_name + " ") != std::string::npos;
}

/// Whether `fact` becomes true within 30 s.
inline bool eventually(const std::function<bool()>& fact) {
  for (int i = 0; i < 3000 && !fact(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  return fact();
}

}  // namespace tcpinfo
