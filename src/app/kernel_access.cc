#include "app/kernel_access.h"

#include <sys/capability.h>
#include <sys/prctl.h>

#include <string>
#include <utility>

#include "base/log.h"
#include "base/system_error.h"
#include "tcpinfo/socket_control.h"

namespace app {

namespace {

using tcpinfo::EventPrograms;
using tcpinfo::EventSource;

bool is_wanted(EventSource source, const std::optional<EventSource>& wanted) {
  return !wanted || *wanted == source;
}

void open_events(KernelAccess& kernel, const Config& config) {
  const auto& wanted = config.kernel.events;
  std::string reasons;
  // Sockets are known to sockops from their listener on, so this comes before listen_on().
  for (const auto source : {EventSource::kTracepoint, EventSource::kSockops}) {
    if (!is_wanted(source, wanted)) continue;
    auto loaded = EventPrograms::load(source, server::loop_count(config.server));
    if (loaded) {
      kernel.event_source = source;
      kernel.events = std::move(*loaded);
      return base::log::info("congestion_events", {{"source", tcpinfo::name(source)}});
    }
    reasons +=
        (reasons.empty() ? "" : "; ") + std::string{tcpinfo::name(source)} + ": " + loaded.error();
  }
  if (wanted == EventSource::kTcpInfo) {
    return base::log::info("congestion_events", {{"source", tcpinfo::name(*wanted)}});
  }
  base::log::warning("congestion_events", {{"source", tcpinfo::name(EventSource::kTcpInfo)},
                                           {"reason", reasons},
                                           {"hint", "seen at the next picture; symcast doctor"}});
}

/// A connection may keep the congestion control of its listener where it may not choose one:
/// without CAP_NET_ADMIN only those of net.ipv4.tcp_allowed_congestion_control can be chosen.
/// Viewers who get another one fail, and are told of, on their own.
void set_listeners_congestion_control(const KernelAccess& kernel, const Config& config) {
  const auto& name = config.streams.front().tcp.congestion_control;
  if (name.empty()) return;
  for (const auto& fd : kernel.listening) tcpinfo::set_congestion_control(fd.get(), name);
}

}  // namespace

KernelAccess open_kernel(const Config& config) {
  KernelAccess kernel;
  open_events(kernel, config);
  kernel.listening = server::listen_on(config.server.listen);
  set_listeners_congestion_control(kernel, config);
  return kernel;
}

void drop_capabilities() {
  const auto none = cap_init();  // every set empty
  const int failed = cap_set_proc(none);
  cap_free(none);
  base::check("give up capabilities", failed);
  // An ambient capability goes with its permitted one; none comes back by running a program.
  base::check("PR_SET_NO_NEW_PRIVS", ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

}  // namespace app
