#pragma once

#include <optional>

#include "tcpinfo/tcp_sample.h"

namespace tcpinfo {

/// Reads the kernel's state of one connection.
class TcpSampler {
 public:
  virtual ~TcpSampler() = default;
  /// Empty when `fd` is no connected TCP socket any more.
  virtual std::optional<TcpSample> sample(int fd, base::Time now) = 0;
};

}  // namespace tcpinfo
