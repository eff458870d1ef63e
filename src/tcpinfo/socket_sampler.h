#pragma once

#include <optional>

#include "tcpinfo/tcp_sampler.h"

namespace tcpinfo {

/// Samples our own sockets by getsockopt(TCP_INFO). No privileges, about 0.5 µs per call.
/// Thread-safe.
class SocketSampler : public TcpSampler {
 public:
  std::optional<TcpSample> sample(int fd, base::Time now) override;
};

/// The kernel's unconverted answer; nullopt if `fd` is not a TCP socket.
std::optional<TcpInfoReading> read_tcp_info(int fd);

}  // namespace tcpinfo
