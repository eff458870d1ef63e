#include "server/listen.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/system_error.h"

namespace server {

namespace {

// Connections that may wait to be accepted. The kernel caps it at net.core.somaxconn, 4096 by
// default.
constexpr int kListenBacklog = 4096;

socklen_t size_of(const sockaddr_storage& address) {
  return address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

/// The address in the type that system calls take. They read it as the type of its family.
sockaddr* generic(sockaddr_storage& address) { return reinterpret_cast<sockaddr*>(&address); }

base::UniqueFd open_socket(int family) {
  return base::UniqueFd{socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
}

/// How the operator can correct what keeps a program from binding to the endpoint.
std::string advice(int error, const Endpoint& endpoint) {
  switch (error) {
    case EACCES:
      return fmt::format("; allow it with sysctl -w net.ipv4.ip_unprivileged_port_start={}",
                         endpoint.port);
    case EADDRINUSE:
      return fmt::format("; ss -ltnp 'sport = :{}' shows the program that has it", endpoint.port);
    case EADDRNOTAVAIL:
      return "; no interface of this machine has this address";
    default:
      return {};
  }
}

void bind_to(const base::UniqueFd& fd, const Endpoint& endpoint, sockaddr_storage address) {
  if (::bind(fd.get(), generic(address), size_of(address)) == 0 &&
      ::listen(fd.get(), kListenBacklog) == 0) {
    return;
  }
  const int error = errno;
  throw std::runtime_error{fmt::format("listen on {}: {}{}", endpoint.text(),
                                       std::generic_category().message(error),
                                       advice(error, endpoint))};
}

base::UniqueFd listen_on(const Endpoint& endpoint) {
  const std::string attempt = "listen on " + endpoint.text();
  Endpoint bound = endpoint;
  auto fd = open_socket(bound.socket_address().ss_family);
  if (!fd && errno == EAFNOSUPPORT && endpoint.address == Address{}) {
    bound.address = *Address::parse("0.0.0.0");  // this host has no IPv6
    fd = open_socket(AF_INET);
  }
  base::check(attempt, fd.get());
  const int on = 1;
  const int off = 0;
  base::check(attempt, setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
  const auto address = bound.socket_address();
  if (address.ss_family == AF_INET6) {
    const int& only = endpoint.address == Address{} ? off : on;
    base::check(attempt, setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only));
  }
  bind_to(fd, endpoint, address);
  return fd;
}

}  // namespace

std::vector<base::UniqueFd> listen_on(const std::vector<Endpoint>& endpoints) {
  std::vector<base::UniqueFd> listening;
  for (const auto& endpoint : endpoints) listening.push_back(listen_on(endpoint));
  return listening;
}

Endpoint bound_endpoint(const base::UniqueFd& listening) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  base::check("getsockname", getsockname(listening.get(), generic(address), &size));
  return Endpoint::of(address);
}

}  // namespace server
