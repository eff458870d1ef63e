#include "transcoder/ingest/source_check.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "base/unique_fd.h"
#include "transcoder/ingest/make_source.h"
#include "transcoder/uri/host_lookup.h"
#include "transcoder/uri/source_file.h"
#include "transcoder/uri/source_uri.h"

namespace transcoder {

namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

/// The address that a source binds to; any, if its URI has no host. nullopt if it is not known.
std::optional<Address> listening_address(const std::string& uri) {
  const auto host = host_of(uri);
  const auto port = std::to_string(port_of(uri));
  addrinfo hints{};
  hints.ai_family = host.empty() ? AF_INET : AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.empty() ? nullptr : host.c_str(), port.c_str(), &hints, &found) != 0) {
    return std::nullopt;
  }
  Address result;
  result.size = found->ai_addrlen;
  std::memcpy(&result.storage, found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  return result;
}

bool is_multicast(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    return IN6_IS_ADDR_MULTICAST(&six);
  }
  return IN_MULTICAST(ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr));
}

/// Binds to the address and lets go of it. Returns 0 or errno. Several programs may receive a
/// multicast group, each with all of it, as long as all of them ask to share the port.
int try_to_bind(const Address& address) {
  const base::UniqueFd fd{::socket(address.storage.ss_family, SOCK_DGRAM, 0)};
  if (!fd) return errno;
  const int share = is_multicast(address.storage);
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &share, sizeof share);
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address.storage);
  return ::bind(fd.get(), generic, address.size) == 0 ? 0 : errno;
}

std::string port_problem(const std::string& uri) {
  const auto address = listening_address(uri);
  const int error = address ? try_to_bind(*address) : 0;
  const auto port = port_of(uri);
  switch (error) {
    case 0:
      return {};
    case EADDRINUSE:
      return fmt::format(
          "UDP port {0} is in use, by symcast itself or another program; ss -lunp 'sport = :{0}' "
          "shows which",
          port);
    case EADDRNOTAVAIL:
      return fmt::format(
          "no interface of this machine has the address '{}'; write 0.0.0.0 to listen on all",
          host_of(uri));
    default:
      return fmt::format("UDP port {}: {}", port, std::strerror(error));
  }
}

}  // namespace

std::string local_problem(const std::string& uri) {
  if (expects_rtmp_publisher(uri)) return std::string{kInsteadOfRtmp};
  if (!is_file(uri)) return {};
  try {
    file_uri(uri);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

std::string source_problem(const std::string& uri) {
  if (auto problem = local_problem(uri); !problem.empty()) return problem;
  if (auto problem = lookup_failure(uri); !problem.empty()) return problem;
  return waits_for_sender(uri) ? port_problem(uri) : std::string{};
}

}  // namespace transcoder
