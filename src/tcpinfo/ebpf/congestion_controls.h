#pragma once

#include <memory>

#include "base/result.h"
#include "tcpinfo/socket_hints.h"

namespace tcpinfo {

/// Our congestion controls (bpf/congestion_controls.bpf.c), registered in the kernel while this
/// object lives and no longer than its process, however that ends; before Linux 6.4, if the
/// Guardian is not killed with it. Connections that use one keep it.
///
/// Names of congestion controls are machine-wide. Beside another server's all of ours get the same
/// suffix, ".2" to ".9".
class CongestionControls {
 public:
  /// Needs CAP_BPF and CAP_PERFMON; what follows needs none. On Linux before 6.4 it forks a
  /// Guardian: call it before other threads start. Leaves out what needs Cubic where the kernel has
  /// none.
  static base::Result<std::unique_ptr<CongestionControls>> load();
  virtual ~CongestionControls() = default;

  /// Valid as long as this object.
  virtual const OwnControls& own() const = 0;
};

}  // namespace tcpinfo
