#pragma once

#include <bpf/bpf.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include "base/unique_fd.h"
#include "tcpinfo/socket_control.h"

namespace tcpinfo {

/// Whether the kernel has a congestion control of this name.
inline bool is_offered(const std::string& kernel_name) {
  const auto all = " " + available_congestion_controls() + " ";
  return all.find(" " + kernel_name + " ") != std::string::npos;
}

/// The ids of the BPF maps that a process holds. Another server may take a name as soon as it is
/// free, but ids are not used again.
inline std::set<std::uint32_t> held_maps(pid_t pid) {
  std::set<std::uint32_t> ids;
  for (const auto& entry :
       std::filesystem::directory_iterator{"/proc/" + std::to_string(pid) + "/fdinfo"}) {
    std::ifstream info{entry.path()};
    for (std::string word; info >> word;) {
      if (word != "map_id:") continue;
      std::uint32_t id = 0;
      if (info >> id) ids.insert(id);
    }
  }
  return ids;
}

/// Whether the kernel has none of these maps. Needs CAP_SYS_ADMIN; false without.
inline bool all_gone(const std::set<std::uint32_t>& maps) {
  return std::ranges::none_of(maps, [](std::uint32_t id) {
    const base::UniqueFd map{bpf_map_get_fd_by_id(id)};
    return map || errno != ENOENT;
  });
}

/// Whether `fact` becomes true within 30 s.
inline bool eventually(const std::function<bool()>& fact) {
  for (int i = 0; i < 3000 && !fact(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  return fact();
}

}  // namespace tcpinfo
