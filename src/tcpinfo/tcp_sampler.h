#pragma once

#include <optional>

#include "tcpinfo/tcp_sample.h"

namespace tcpinfo {

/// Samples the kernel's state of connections.
class TcpSampler {
 public:
  virtual ~TcpSampler() = default;
  /// nullopt if `fd` is no longer a connected TCP socket.
  virtual std::optional<TcpSample> sample(int fd, base::Time now) = 0;
};

}  // namespace tcpinfo
