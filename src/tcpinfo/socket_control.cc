#include "tcpinfo/socket_control.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <fstream>
#include <limits>

namespace tcpinfo {

bool set_congestion_control(int fd, const std::string& name) {
  return ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(),
                      static_cast<socklen_t>(name.size())) == 0;
}

bool set_max_pacing_rate(int fd, std::optional<base::BitRate> rate) {
  // Bytes per second; all ones means unlimited (socket(7)).
  const std::uint64_t value = rate ? static_cast<std::uint64_t>(rate->bps() / 8)
                                   : std::numeric_limits<std::uint64_t>::max();
  return ::setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &value, sizeof(value)) == 0;
}

bool set_notsent_lowat(int fd, base::ByteCount amount) {
  const auto value = static_cast<std::uint32_t>(amount.bytes());
  return ::setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &value, sizeof(value)) == 0;
}

std::string congestion_control(int fd) {
  std::array<char, 16> name{};  // TCP_CA_NAME_MAX
  socklen_t length = name.size();
  if (::getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) != 0) return {};
  return name.data();
}

std::string available_congestion_controls() {
  std::ifstream file{"/proc/sys/net/ipv4/tcp_available_congestion_control"};
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace tcpinfo
