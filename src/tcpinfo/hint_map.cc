#include "tcpinfo/hint_map.h"

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "bpf/hint.h"

namespace tcpinfo {

namespace {

bool call(bpf_cmd command, int map, const int& socket, const symcast_hint& hint) {
  bpf_attr attributes{};
  attributes.map_fd = static_cast<std::uint32_t>(map);
  attributes.key = reinterpret_cast<std::uintptr_t>(&socket);
  attributes.value = reinterpret_cast<std::uintptr_t>(&hint);
  return ::syscall(SYS_bpf, command, &attributes, sizeof attributes) == 0;
}

}  // namespace

symcast_hint HintMap::get(int socket) const {
  symcast_hint hint{};
  call(BPF_MAP_LOOKUP_ELEM, map_, socket, hint);
  return hint;
}

bool HintMap::put(int socket, const symcast_hint& hint) const {
  return call(BPF_MAP_UPDATE_ELEM, map_, socket, hint);
}

}  // namespace tcpinfo
