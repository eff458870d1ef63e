#include "app/doctor/doctor_machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "base/capabilities.h"
#include "base/cpus.h"
#include "base/unique_fd.h"

namespace app {

namespace {

Finding cpus() { return {Verdict::kOk, "CPUs", fmt::format("{:g}", base::usable_cpus())}; }

// For listeners, event loops, sources and the log. Fewer would let a full server run out.
constexpr rlim_t kNonViewerDescriptors = 256;

/// Checks the hard limit; `symcast serve` raises the soft limit to it.
Finding descriptors(const Config& config) {
  const auto connections = static_cast<rlim_t>(config.server.max_connections());
  const auto traces = config.trace_directory.empty() ? 0 : config.server.max_viewers;
  const rlim_t needed = connections + static_cast<rlim_t>(traces) + kNonViewerDescriptors;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const auto most =
      limit.rlim_max == RLIM_INFINITY ? "unlimited" : fmt::format("limit {}", limit.rlim_max);
  const auto detail =
      fmt::format("{}; {} viewers need {}", most, config.server.max_viewers, needed);
  if (limit.rlim_max >= needed) return {Verdict::kOk, "file descriptors", detail};
  return {Verdict::kLimited, "file descriptors", detail,
          fmt::format("ulimit -Hn {}; symcast.service sets LimitNOFILE= itself", needed)};
}

Finding capabilities() {
  struct Capability {
    const char* name;
    int bit;
  };
  constexpr std::array kUsefulCapabilities{Capability{"CAP_NET_ADMIN", CAP_NET_ADMIN},
                                           Capability{"CAP_PERFMON", CAP_PERFMON},
                                           Capability{"CAP_BPF", CAP_BPF}};
  std::vector<std::string> names;
  for (const auto& [name, bit] : kUsefulCapabilities) {
    if (base::holds_capability(bit)) names.emplace_back(name);
  }
  return {Verdict::kOk, "capabilities",
          names.empty() ? "none held; none is required"
                        : fmt::format("{} held; none is required", fmt::join(names, ", "))};
}

/// Binds and listens like the server. Returns 0 or errno.
int try_listen(const server::Endpoint& endpoint) {
  const sockaddr_storage address = endpoint.socket_address();
  const socklen_t length =
      address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const base::UniqueFd fd{::socket(address.ss_family, SOCK_STREAM, 0)};
  const int on = 1;
  const bool listening =
      fd && ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
      ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0 &&
      ::listen(fd.get(), 1) == 0;
  return listening ? 0 : errno;
}

/// Ports below it need CAP_NET_BIND_SERVICE, which symcast.service does not have.
std::int64_t first_unprivileged_port(const Sysctls& sysctls) {
  return sysctls.number("ip_unprivileged_port_start").value_or(1024);
}

Finding listening(const server::Endpoint& endpoint, const Sysctls& sysctls) {
  const auto subject = endpoint.text();
  const int error = try_listen(endpoint);
  if (error == EADDRINUSE) {
    return {Verdict::kLimited, subject, "already in use, by symcast itself or another program",
            fmt::format("run ss -ltnp 'sport = :{}' to see which", endpoint.port)};
  }
  const bool privileged = endpoint.port > 0 && endpoint.port < first_unprivileged_port(sysctls);
  if (privileged && (error == 0 || error == EACCES)) {
    return {error == 0 ? Verdict::kLimited : Verdict::kMissing, subject,
            "privileged port: symcast.service may not listen on it",
            fmt::format("sysctl net.ipv4.ip_unprivileged_port_start={}", endpoint.port)};
  }
  if (error == 0) return {Verdict::kOk, subject, "can be listened on"};
  return {Verdict::kMissing, subject, std::strerror(error),
          "choose another address in server.listen"};
}

Finding directory_of(const char* key, const std::string& directory) {
  if (::access(directory.c_str(), W_OK | X_OK) == 0) {
    return {Verdict::kOk, key, fmt::format("{} is writable", directory)};
  }
  return {Verdict::kMissing, key, fmt::format("{}: {}", directory, std::strerror(errno)),
          fmt::format("create a writable directory, or leave {} empty", key)};
}

}  // namespace

Findings examine_machine(const Config& config, const Sysctls& sysctls) {
  Findings findings{cpus(), descriptors(config), capabilities()};
  for (const auto& endpoint : config.server.listen) {
    findings.push_back(listening(endpoint, sysctls));
  }
  if (!config.trace_directory.empty()) {
    findings.push_back(directory_of("trace.directory", config.trace_directory));
  }
  if (!config.state_directory.empty()) {
    findings.push_back(directory_of("state.directory", config.state_directory));
  }
  return findings;
}

}  // namespace app
