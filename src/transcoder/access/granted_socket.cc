#include "transcoder/access/granted_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace transcoder::access {

namespace {

/// An integer option of the level SOL_SOCKET; -1 if the descriptor has none.
int option(int fd, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

const sockaddr* generic(const CallAddress& address) {
  return reinterpret_cast<const sockaddr*>(&address.raw);
}

int result_of(ssize_t result) { return result < 0 ? -errno : static_cast<int>(result); }

}  // namespace

std::optional<CallAddress> call_address(std::span<const std::uint8_t> bytes) {
  CallAddress address;
  std::memcpy(&address.raw, bytes.data(), std::min(bytes.size(), sizeof address.raw));
  const auto family = address.raw.ss_family;
  if (family != AF_INET && family != AF_INET6) return std::nullopt;
  address.size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  if (bytes.size() < address.size) return std::nullopt;
  address.endpoint = base::Endpoint::of(address.raw);
  return address;
}

base::Result<GrantedSocket> GrantedSocket::of(base::UniqueFd fd) {
  if (!fd) return base::Error{"no descriptor"};
  const int domain = option(fd.get(), SO_DOMAIN);
  const int type = option(fd.get(), SO_TYPE);
  const int protocol = option(fd.get(), SO_PROTOCOL);
  const bool internet = domain == AF_INET || domain == AF_INET6;
  if (internet && type == SOCK_STREAM && protocol == IPPROTO_TCP) {
    return GrantedSocket{std::move(fd), Transport::kTcp};
  }
  if (internet && type == SOCK_DGRAM && protocol == IPPROTO_UDP) {
    return GrantedSocket{std::move(fd), Transport::kUdp};
  }
  return base::Error{
      fmt::format("a descriptor of domain {}, type {}, protocol {}", domain, type, protocol)};
}

int GrantedSocket::connect(const CallAddress& to) const {
  // The sender has done so already, unless it wants us to wait.
  const int flags = ::fcntl(fd(), F_GETFL);
  if ((flags & O_NONBLOCK) == 0) ::fcntl(fd(), F_SETFL, flags | O_NONBLOCK);
  return result_of(::connect(fd(), generic(to), to.size));
}

int GrantedSocket::bind(const CallAddress& at) const {
  return result_of(::bind(fd(), generic(at), at.size));
}

int GrantedSocket::send(std::span<const std::uint8_t> datagram, const CallAddress& to) const {
  return result_of(::sendto(fd(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                            generic(to), to.size));
}

}  // namespace transcoder::access
