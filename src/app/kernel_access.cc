#include "app/kernel_access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/capability.h>
#include <sys/prctl.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/kept_sockets.h"
#include "app/routes.h"
#include "base/log.h"
#include "base/system_error.h"
#include "server/listen.h"
#include "server/settings.h"
#include "tcpinfo/socket_control.h"

namespace app {

namespace {

using tcpinfo::EventPrograms;
using tcpinfo::EventSource;

/// Features that are missing, each with the reason.
using Missing = std::vector<std::string>;

void open_events(KernelAccess& kernel, const Config& config, Missing& missing) {
  const auto& wanted = config.kernel.events;
  // Sockops programs miss connections established earlier, so this comes before listen_on().
  for (const auto source : {EventSource::kTracepoint, EventSource::kSockops}) {
    if (wanted && *wanted != source) continue;
    auto loaded = EventPrograms::load(source, server::loop_count(config.server));
    if (loaded) {
      kernel.event_source = source;
      kernel.events = std::move(*loaded);
      return;
    }
    missing.push_back(fmt::format("events by {}: {}", tcpinfo::name(source), loaded.error()));
  }
}

void add_congestion_controls(KernelAccess& kernel, const Config& config, Missing& missing) {
  if (!config.kernel.congestion_controls) return;
  auto loaded = tcpinfo::CongestionControls::load();
  if (!loaded) {
    missing.push_back(fmt::format("congestion controls: {}", loaded.error()));
    return;
  }
  kernel.congestion_controls = std::move(*loaded);
  kernel.hints = tcpinfo::SocketHints{kernel.congestion_controls->own()};
}

void listen_for_destroyed_sockets(KernelAccess& kernel, Missing& missing) {
  std::vector<std::uint16_t> ports;
  for (const auto& fd : kernel.listening) ports.push_back(server::bound_endpoint(fd).port);
  auto opened = tcpinfo::DestroyedSockets::open(ports);
  if (opened) {
    kernel.destroyed_sockets = std::move(*opened);
  } else {
    missing.push_back(fmt::format("final statistics: {}", opened.error()));
  }
}

/// Returns how the memory of a source's process is limited, for the log. Comes before all that
/// belongs to a control group: the programs for events, and other processes.
std::string open_memory_groups(KernelAccess& kernel) {
  auto opened = transcoder::MemoryGroups::open(base::ControlGroup::own());
  if (!opened) return fmt::format("rlimit ({})", opened.error());
  kernel.memory_groups = std::move(*opened);
  return "control_group";
}

void log_access(const KernelAccess& kernel, const std::string& memory, const Missing& missing) {
  const std::string events = tcpinfo::name(kernel.event_source);
  const std::string controls =
      kernel.congestion_controls ? "sym_*" + kernel.congestion_controls->own().suffix : "none";
  if (missing.empty()) {
    return base::log::info(
        "kernel_access",
        {{"events", events}, {"congestion_controls", controls}, {"source_memory", memory}});
  }
  base::log::warning("kernel_access", {{"events", events},
                                       {"congestion_controls", controls},
                                       {"source_memory", memory},
                                       {"missing", fmt::format("{}", fmt::join(missing, "; "))},
                                       {"hint", "run symcast doctor to see how to add them"}});
}

bool names_automatic(const StreamConfig& stream) {
  return stream.tcp.congestion_control == kAutomaticControl ||
         std::ranges::count(stream.tcp.networks, kAutomaticControl,
                            &NetworkRule::congestion_control) > 0;
}

/// Loads the kernel's module of BBR only if a stream's congestion control is "auto". `any`: a
/// socket.
StandardControls find_standard_controls(int any, const Config& config,
                                        const tcpinfo::SocketHints& hints, Missing& missing) {
  StandardControls found{.standard = tcpinfo::congestion_control(any)};
  const bool wanted = std::ranges::any_of(config.streams, names_automatic);
  const bool loaded = std::ranges::count(tcpinfo::SocketHints{}.available(), "bbr") > 0;
  const bool usable = (wanted || loaded) && tcpinfo::set_congestion_control(any, "bbr");
  if (wanted && !usable) {
    missing.push_back(fmt::format("congestion control bbr: \"auto\" keeps to {}", found.standard));
  }
  found.automatic = usable ? "bbr" : found.standard;
  found.chooses = hints.sets_windows() || tcpinfo::allows_congestion_control("cubic");
  if (wanted && usable && !found.chooses) {
    missing.emplace_back(
        "congestion control cubic: \"auto\" keeps to bbr, because neither eBPF nor "
        "net.ipv4.tcp_allowed_congestion_control allows it");
  }
  return found;
}

/// Sets the first stream's congestion control on the listeners, because accepted connections
/// inherit it even where they could not choose it: without CAP_NET_ADMIN, only those in
/// net.ipv4.tcp_allowed_congestion_control can be chosen. Viewers that need another one fail and
/// log that on their own. A listener that was kept over a restart may have another one.
void set_listeners_congestion_control(KernelAccess& kernel, const Config& config,
                                      Missing& missing) {
  const base::UniqueFd fresh{socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const auto& any = fresh ? fresh : kernel.listening.front();
  const auto& standard = kernel.standard_controls =
      find_standard_controls(any.get(), config, kernel.hints, missing);
  // Rules for networks hold for no listener.
  const TcpSettings tcp{.congestion_control = config.streams.front().tcp.congestion_control};
  const auto chosen = kernel.hints.kernel_name(start_control({}, tcp, standard).name);
  for (const auto& fd : kernel.listening) tcpinfo::set_congestion_control(fd.get(), chosen);
}

}  // namespace

KernelAccess open_kernel(const Config& config) {
  KernelAccess kernel;
  Missing missing;
  const auto memory = open_memory_groups(kernel);
  open_events(kernel, config, missing);
  add_congestion_controls(kernel, config, missing);
  require_congestion_controls(config, kernel.hints);
  set_routes(config);
  kernel.listening = KeptSockets{}.listen_on(config.server.listen);
  set_listeners_congestion_control(kernel, config, missing);
  listen_for_destroyed_sockets(kernel, missing);
  log_access(kernel, memory, missing);
  return kernel;
}

void require_congestion_controls(const Config& config, const tcpinfo::SocketHints& hints) {
  const auto available = hints.available();
  const auto require = [&](const StreamConfig& stream, const std::string& name) {
    const bool named = !name.empty() && name != kAutomaticControl;
    if (!named || std::ranges::count(available, name)) return;
    throw ConfigError{fmt::format(
        "stream \"{}\": congestion control \"{}\" is not available on this host; available: {}",
        stream.media.name, name, fmt::join(available, ", "))};
  };
  for (const auto& stream : config.streams) {
    require(stream, stream.tcp.congestion_control);
    for (const auto& rule : stream.tcp.networks) require(stream, rule.congestion_control);
  }
}

void drop_capabilities() {
  const auto none = cap_init();  // every set empty
  const int failed = cap_set_proc(none);
  cap_free(none);
  base::check("give up capabilities", failed);
  // Ambient capabilities go with the permitted ones. Running a program brings none back.
  base::check("PR_SET_NO_NEW_PRIVS", ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

}  // namespace app
