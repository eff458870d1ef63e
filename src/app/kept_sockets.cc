#include "app/kept_sockets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "base/log.h"
#include "server/listen.h"

namespace app {

namespace {

// systemd acts within milliseconds. A longer wait only delays the start of a server whose
// listening addresses have changed.
constexpr std::chrono::microseconds kMaxBarrierWait = std::chrono::seconds{5};

/// The socket's name at systemd. Names may contain no colon (sd_pid_notify_with_fds(3)).
std::string name_of(const server::Endpoint& endpoint) {
  auto name = "listen-" + endpoint.text();
  std::ranges::replace(name, ':', '_');
  return name;
}

/// A host without IPv6 listens on 0.0.0.0 for [::].
bool serves(const server::Endpoint& bound, const server::Endpoint& wanted) {
  if (bound == wanted) return true;
  const base::UniqueFd ipv6{::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  return !ipv6 && wanted.address == server::Address{} && bound.port == wanted.port &&
         bound.address == *server::Address::parse("0.0.0.0");
}

}  // namespace

KeptSockets::KeptSockets() {
  char** names = nullptr;
  const int count = sd_listen_fds_with_names(1, &names);
  for (int i = 0; i < count; ++i) {
    const int fd = SD_LISTEN_FDS_START + i;
    base::UniqueFd owned{fd};
    if (sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) > 0 &&
        (sd_is_socket(fd, AF_INET, 0, -1) > 0 || sd_is_socket(fd, AF_INET6, 0, -1) > 0)) {
      ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
      const auto endpoint = server::bound_endpoint(owned);
      kept_.push_back({std::move(owned), names[i], endpoint});
    }
    std::free(names[i]);
  }
  std::free(names);
}

base::UniqueFd KeptSockets::take(const server::Endpoint& wanted) {
  const auto found =
      std::ranges::find_if(kept_, [&](const auto& kept) { return serves(kept.endpoint, wanted); });
  if (found == kept_.end()) return {};
  base::log::info("socket_kept", {{"address", wanted.text()}});
  auto fd = std::move(found->fd);
  kept_.erase(found);
  return fd;
}

/// Waits for systemd, whose copies would keep the ports in use.
void KeptSockets::close_others() {
  if (kept_.empty()) return;
  for (const auto& kept : std::exchange(kept_, {})) {
    base::log::info("socket_not_kept", {{"address", kept.endpoint.text()}});
    sd_notify(0, fmt::format("FDSTOREREMOVE=1\nFDNAME={}", kept.name).c_str());
  }
  sd_notify_barrier(0, kMaxBarrierWait.count());
}

std::vector<base::UniqueFd> KeptSockets::listen_on(const std::vector<server::Endpoint>& endpoints) {
  std::vector<base::UniqueFd> listening;
  for (const auto& endpoint : endpoints) listening.push_back(take(endpoint));
  close_others();
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    if (listening[i]) continue;
    listening[i] = std::move(server::listen_on({endpoints[i]}).front());
    const int fd = listening[i].get();
    sd_pid_notify_with_fds(0, 0, fmt::format("FDSTORE=1\nFDNAME={}", name_of(endpoints[i])).c_str(),
                           &fd, 1);
  }
  return listening;
}

}  // namespace app
