#pragma once

#include <memory>

#include "base/result.h"
#include "tcpinfo/socket_hints.h"

namespace tcpinfo {

/// Our congestion controls (bpf/congestion_controls.bpf.c), registered in the kernel while this
/// object lives. They are unregistered however the process ends; before Linux 6.4, unless the
/// Guardian is killed together with it. Connections that use one keep it.
///
/// Names of congestion controls are machine-wide. If another server has them, all of ours get one
/// suffix, ".2" to ".9".
class CongestionControls {
 public:
  /// Needs CAP_BPF and CAP_PERFMON; using the result needs no capability. Before Linux 6.4 this
  /// forks a Guardian, so call it before other threads start. Where the kernel has no Cubic,
  /// sym_vcubic is left out.
  static base::Result<std::unique_ptr<CongestionControls>> load();
  virtual ~CongestionControls() = default;

  /// Valid while this object lives.
  virtual const OwnControls& own() const = 0;
};

}  // namespace tcpinfo
