#include <memory>

#include "tcpinfo/ebpf/event_programs.h"

namespace tcpinfo {

base::Result<std::unique_ptr<EventPrograms>> EventPrograms::load(EventSource, int) {
  return base::Error{"this symcast was built without eBPF; rebuild with clang, bpftool and libbpf"};
}

}  // namespace tcpinfo
