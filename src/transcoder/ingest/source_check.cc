#include "transcoder/ingest/source_check.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/unique_fd.h"
#include "transcoder/gst/host_lookup.h"
#include "transcoder/gst/source_file.h"
#include "transcoder/ingest/make_source.h"

namespace transcoder {

namespace {

/// Binds the port and lets go of it. Returns 0 or errno.
int try_udp_port(std::uint16_t port) {
  const base::UniqueFd fd{::socket(AF_INET, SOCK_DGRAM, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  return fd && ::bind(fd.get(), generic, sizeof address) == 0 ? 0 : errno;
}

std::string port_problem(std::uint16_t port) {
  const int error = try_udp_port(port);
  if (error == EADDRINUSE) {
    return fmt::format(
        "UDP port {0} is in use, by symcast itself or another program; ss -lunp 'sport = :{0}' "
        "shows which",
        port);
  }
  return error == 0 ? "" : fmt::format("UDP port {}: {}", port, std::strerror(error));
}

}  // namespace

std::string local_problem(const std::string& uri) {
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
  if (waits_for_sender(uri)) return port_problem(port_of(uri));
  return lookup_failure(uri);
}

}  // namespace transcoder
