#include "tcpinfo/socket_sampler.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>

namespace tcpinfo {

namespace {
// TCP_INFO of include/uapi/linux/tcp.h; <netinet/tcp.h> would bring libc's shorter tcp_info.
constexpr int kTcpInfoOption = 11;
}  // namespace

std::optional<TcpInfoReading> read_tcp_info(int fd) {
  TcpInfoReading reading;
  socklen_t length = sizeof(reading.info);
  if (::getsockopt(fd, IPPROTO_TCP, kTcpInfoOption, &reading.info, &length) != 0) return {};
  reading.length = length;
  return reading;
}

std::optional<TcpSample> SocketSampler::sample(int fd, base::Time now) {
  const auto reading = read_tcp_info(fd);
  if (!reading) return {};
  return to_sample(*reading, now);
}

}  // namespace tcpinfo
