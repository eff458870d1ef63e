#pragma once

#include "tcpinfo/tcp_sampler.h"

namespace tcpinfo {

/// getsockopt(TCP_INFO) on our own sockets: no privileges, about 0.5 µs a call. Thread-safe.
class SocketSampler : public TcpSampler {
 public:
  std::optional<TcpSample> sample(int fd, base::Time now) override;
};

/// The kernel's answer as it is; empty when `fd` is no TCP socket.
std::optional<TcpInfoReading> read_tcp_info(int fd);

}  // namespace tcpinfo
