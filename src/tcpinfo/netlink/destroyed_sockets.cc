#include "tcpinfo/netlink/destroyed_sockets.h"

#include <linux/filter.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace tcpinfo {

namespace {

/// Limit for the message of one socket: 72 bytes, TCP_INFO, and room for later kernels' additions.
constexpr std::size_t kMaxMessageBytes = 4096;
/// Of the filter: the message is not cut, which recv() would not notice.
constexpr std::uint32_t kWhole = 0xffffffff;
/// Requested receive buffer; a smaller one loses messages sooner (lost()). libnl requests 32 KiB.
/// The kernel grants twice the request, up to net.core.rmem_max.
constexpr int kEventBufferBytes = 1024 * 1024;

/// Attaches a socket filter that passes the messages of `ports` and drops all others before they
/// take room.
bool filter_ports(int fd, const std::vector<std::uint16_t>& ports) {
  constexpr unsigned kPortOffset =
      NLMSG_HDRLEN + offsetof(inet_diag_msg, id) + offsetof(inet_diag_sockid, idiag_sport);
  std::vector<sock_filter> code{BPF_STMT(BPF_LD | BPF_H | BPF_ABS, kPortOffset)};
  for (const auto port : ports) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, kWhole));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, 0));
  const sock_fprog program{.len = static_cast<unsigned short>(code.size()), .filter = code.data()};
  return ::setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

}  // namespace

base::Result<DestroyedSockets> DestroyedSockets::open(
    const std::vector<std::uint16_t>& local_ports) {
  auto socket = NetlinkSocket::open(NETLINK_SOCK_DIAG);
  if (!socket) return base::Error{socket.error()};
  if (!filter_ports(socket->fd(), local_ports)) {
    return base::Error{std::string{"failed to set SO_ATTACH_FILTER on a netlink socket: "} +
                       std::strerror(errno)};
  }
  ::setsockopt(socket->fd(), SOL_SOCKET, SO_RCVBUF, &kEventBufferBytes, sizeof kEventBufferBytes);
  for (const int group : {SKNLGRP_INET_TCP_DESTROY, SKNLGRP_INET6_TCP_DESTROY}) {
    if (const int failure = socket->join(group)) {
      return base::Error{"the kernel does not report destroyed sockets (" + error_text(failure) +
                         "); load its module with `modprobe tcp_diag`"};
    }
  }
  return DestroyedSockets{std::move(*socket)};
}

void DestroyedSockets::drain(const std::function<void(const DiagSocket&)>& take) {
  std::array<std::byte, kMaxMessageBytes> buffer;
  for (;;) {
    // Returns the message's own size, which may be more than the buffer's.
    const auto got = ::recv(fd(), buffer.data(), buffer.size(), MSG_DONTWAIT | MSG_TRUNC);
    if (got < 0 && errno != EINTR && errno != ENOBUFS) return;  // ENOBUFS: see lost()
    if (got < 0) continue;
    const auto size = static_cast<std::size_t>(got);
    if (size > buffer.size()) {
      ++*too_long_;
      continue;
    }
    wire::Bytes rest{buffer.data(), size};
    while (const auto payload = wire::take_message(rest)) {
      if (const auto socket = parse_diag_socket(*payload)) take(*socket);
    }
  }
}

std::uint64_t DestroyedSockets::lost() const {
  std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
  socklen_t length = sizeof memory;
  ::getsockopt(fd(), SOL_SOCKET, SO_MEMINFO, memory.data(), &length);
  return memory[SK_MEMINFO_DROPS] + *too_long_;
}

}  // namespace tcpinfo
