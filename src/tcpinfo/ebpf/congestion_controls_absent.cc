#include <memory>

#include "tcpinfo/ebpf/congestion_controls.h"

namespace tcpinfo {

base::Result<std::unique_ptr<CongestionControls>> CongestionControls::load() {
  return base::Error{"this symcast was built without eBPF; rebuild with clang, bpftool and libbpf"};
}

}  // namespace tcpinfo
