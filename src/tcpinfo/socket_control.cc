#include "tcpinfo/socket_control.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>

namespace tcpinfo {

bool set_max_pacing_rate(int fd, base::BitRate rate) {
  const auto bytes_per_second = static_cast<std::uint64_t>(rate.bps() / 8);
  return ::setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes_per_second,
                      sizeof(bytes_per_second)) == 0;
}

bool set_notsent_lowat(int fd, base::ByteCount mark) {
  const auto bytes = static_cast<int>(mark.bytes());
  return ::setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof(bytes)) == 0;
}

// The options below are of linux/tcp.h; glibc's header is older.
bool set_rto_min(int fd, base::Duration minimum) {
  constexpr int kTcpRtoMinUs = 45;  // TCP_RTO_MIN_US
  const auto us = static_cast<int>(std::chrono::round<std::chrono::microseconds>(minimum).count());
  return ::setsockopt(fd, IPPROTO_TCP, kTcpRtoMinUs, &us, sizeof(us)) == 0;
}

bool set_rto_max(int fd, base::Duration maximum) {
  constexpr int kTcpRtoMaxMs = 44;  // TCP_RTO_MAX_MS
  const auto ms = static_cast<int>(std::chrono::round<std::chrono::milliseconds>(maximum).count());
  return ::setsockopt(fd, IPPROTO_TCP, kTcpRtoMaxMs, &ms, sizeof(ms)) == 0;
}

bool set_congestion_control(int fd, const std::string& name) {
  return ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(),
                      static_cast<socklen_t>(name.size())) == 0;
}

std::string congestion_control_in_kernel(int fd) {
  std::array<char, 16> name{};  // TCP_CA_NAME_MAX
  socklen_t length = name.size();
  if (::getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) != 0) return {};
  return name.data();
}

std::string congestion_control(int fd) {
  const std::string text = congestion_control_in_kernel(fd);
  return text.starts_with("sym_") ? text.substr(0, text.find('.')) : text;
}

std::uint64_t socket_cookie(int fd) {
  std::uint64_t cookie = 0;
  socklen_t length = sizeof(cookie);
  ::getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &length);
  return cookie;
}

std::string available_congestion_controls() {
  std::ifstream file{"/proc/sys/net/ipv4/tcp_available_congestion_control"};
  std::string line;
  std::getline(file, line);
  return line;
}

bool allows_congestion_control(const std::string& name) {
  std::ifstream file{"/proc/sys/net/ipv4/tcp_allowed_congestion_control"};
  const std::istream_iterator<std::string> names{file};
  return std::find(names, {}, name) != std::istream_iterator<std::string>{};
}

}  // namespace tcpinfo
