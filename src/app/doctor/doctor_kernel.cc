#include "app/doctor/doctor_kernel.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "app/config/config_units.h"
#include "base/capabilities.h"
#include "base/system_error.h"
#include "base/unique_fd.h"
#include "tcpinfo/ebpf/congestion_controls.h"
#include "tcpinfo/ebpf/event_programs.h"
#include "tcpinfo/netlink/routes.h"
#include "tcpinfo/socket_control.h"
#include "tcpinfo/socket_hints.h"
#include "tcpinfo/tcp_info.h"

namespace app {

namespace {

using base::UniqueFd;

// Subject of the finding on our own congestion controls.
const std::string kOwnControlsSubject = "sym_*";

/// An established connection to ourselves.
class Loopback {
 public:
  Loopback() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    const UniqueFd listener{base::check("socket", ::socket(AF_INET, SOCK_STREAM, 0))};
    base::check("bind 127.0.0.1", ::bind(listener.get(), generic, length));
    base::check("listen", ::listen(listener.get(), 1));
    base::check("getsockname", ::getsockname(listener.get(), generic, &length));
    near_.reset(base::check("socket", ::socket(AF_INET, SOCK_STREAM, 0)));
    base::check("connect 127.0.0.1", ::connect(near_.get(), generic, length));
    far_.reset(base::check("accept", ::accept(listener.get(), nullptr, nullptr)));
  }
  int fd() const { return near_.get(); }

 private:
  UniqueFd near_;
  UniqueFd far_;
};

Finding kernel() {
  utsname names{};
  base::check("uname", ::uname(&names));
  return {Verdict::kOk, "kernel", fmt::format("{} {}", names.sysname, names.release)};
}

/// Bytes of struct tcp_info that this kernel fills; it grows every few versions.
std::size_t tcp_info_length(int fd) {
  std::array<std::byte, 1024> info{};
  socklen_t length = info.size();
  base::check("getsockopt TCP_INFO", ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, info.data(), &length));
  return length;
}

Finding tcp_info(int fd) {
  const auto length = tcp_info_length(fd);
  if (length < tcpinfo::kLinux61TcpInfoBytes) {
    return {
        Verdict::kLimited, "TCP_INFO",
        fmt::format("{} of the {} bytes that symcast reads", length, tcpinfo::kLinux61TcpInfoBytes),
        "Linux 6.1 or later reports more about each connection"};
  }
  const bool counts = tcpinfo::TcpInfoReading{.info = {}, .length = length}.has_total_rto();
  return {
      Verdict::kOk, "TCP_INFO",
      fmt::format("{} bytes, {}", length, counts ? "with total_rto" : "no total_rto (Linux 6.7)")};
}

/// Reports common congestion controls (those of paper 000) that are not loaded.
void add_others(const std::vector<std::string>& available, Findings& findings) {
  std::vector<std::string> modules;
  for (const auto* name : {"bic", "cubic", "highspeed", "htcp", "vegas"}) {
    if (!std::ranges::count(available, name)) modules.push_back(fmt::format("tcp_{}", name));
  }
  if (modules.empty()) return;
  findings.push_back({Verdict::kOk, "more controls", "not loaded, or not built for this kernel",
                      fmt::format("modprobe -a {}", fmt::join(modules, " "))});
}

/// Loads our congestion controls, then removes them. True if that works: then sym_poke can also
/// select restricted ones.
bool add_ours(std::vector<std::string>& available, Findings& findings) {
  const auto loaded = tcpinfo::CongestionControls::load();
  if (!loaded) {
    findings.push_back({Verdict::kLimited, kOwnControlsSubject, loaded.error(),
                        "symcast cannot set ssthresh, and limits the pacing rate instead"});
    return false;
  }
  const auto& names = (*loaded)->own().names;
  findings.push_back({Verdict::kOk, kOwnControlsSubject,
                      fmt::format("added while symcast runs: {}", fmt::join(names, ", "))});
  available.insert(available.end(), names.begin(), names.end());
  return true;
}

Findings congestion_controls(const Config& config, const Sysctls& sysctls) {
  auto available = tcpinfo::SocketHints{}.available();
  const auto allowed = sysctls.words("tcp_allowed_congestion_control");
  const auto standard = sysctls.words("tcp_congestion_control");
  Findings findings{
      {Verdict::kOk, "congestion control",
       fmt::format("{}; default {}", fmt::join(available, ", "), fmt::join(standard, " "))}};
  add_others(available, findings);
  const bool unrestricted = add_ours(available, findings);
  std::set<std::string> wanted{"bbr"};  // mentioned under [tcp]
  for (const auto& stream : config.streams) {
    wanted.insert(stream.tcp.congestion_control);
    for (const auto& rule : stream.tcp.networks) wanted.insert(rule.congestion_control);
  }
  wanted.erase("");
  if (wanted.erase(std::string{kAutomaticControl}) > 0) wanted.insert("cubic");  // or bbr
  for (const auto& name : wanted) {
    if (std::ranges::find(available, name) == available.end()) {
      findings.push_back({Verdict::kLimited, name, "not available in the running kernel",
                          fmt::format("modprobe tcp_{0}; echo tcp_{0} > "
                                      "/etc/modules-load.d/symcast.conf",
                                      name)});
    } else if (!unrestricted && !allowed.empty() &&
               std::ranges::find(allowed, name) == allowed.end()) {
      findings.push_back({Verdict::kLimited, name, "only for processes with CAP_NET_ADMIN",
                          fmt::format("sysctl net.ipv4.tcp_allowed_congestion_control=\"{} {}\"",
                                      fmt::join(allowed, " "), name)});
    }
  }
  return findings;
}

/// Loads each event source, then unloads it.
Findings congestion_events() {
  using tcpinfo::EventSource;
  Findings findings;
  for (const auto source : {EventSource::kTracepoint, EventSource::kSockops}) {
    const auto loaded = tcpinfo::EventPrograms::load(source, 1);
    const auto subject = fmt::format("events by {}", tcpinfo::name(source));
    if (loaded) {
      findings.push_back({Verdict::kOk, subject, "the kernel reports events at once"});
    } else {
      findings.push_back({Verdict::kLimited, subject, loaded.error()});
    }
  }
  if (findings.front().verdict == Verdict::kOk) return {findings.front()};
  if (findings.back().verdict == Verdict::kOk) return findings;
  findings.back().remedy =
      "without both, events are seen one frame late. symcast.service has the capabilities; "
      "elsewhere run setcap cap_bpf,cap_perfmon,cap_net_admin+ep $(command -v symcast)";
  return findings;
}

Finding pacing(int fd) {
  if (tcpinfo::set_max_pacing_rate(fd, base::BitRate::mbps(10))) {
    return {Verdict::kOk, "SO_MAX_PACING_RATE", "tcp.pacing works"};
  }
  return {Verdict::kLimited, "SO_MAX_PACING_RATE", std::strerror(errno), "keep tcp.pacing at 0"};
}

/// Checks the smallest tcp.rto_min of all streams.
Finding rto_min(const Config& config, int fd, bool by_ebpf) {
  const std::string subject = "tcp.rto_min";
  base::Duration least{};
  for (const auto& stream : config.streams) {
    const auto wanted = stream.tcp.rto_min;
    if (wanted == base::Duration{}) continue;
    least = least == base::Duration{} ? wanted : std::min(least, wanted);
  }
  if (least == base::Duration{}) return {Verdict::kOk, subject, "the kernel's default"};
  const auto detail = text_of(least);
  if (tcpinfo::set_rto_min(fd, least)) return {Verdict::kOk, subject, detail + " works"};
  if (errno == ENOPROTOOPT && by_ebpf) return {Verdict::kOk, subject, detail + " works by eBPF"};
  if (errno == EINVAL) {
    return {Verdict::kLimited, subject, detail + " is shorter than two ticks of this kernel",
            "set tcp.rto_min = \"40ms\""};
  }
  return {Verdict::kLimited, subject, detail + " needs Linux 6.15 or eBPF",
          fmt::format("sysctl net.ipv4.tcp_rto_min_us={} (Linux 6.11) does it for all connections",
                      least / std::chrono::microseconds{1})};
}

/// Checks the smallest tcp.rto_max of all streams.
Finding rto_max(const Config& config, int fd) {
  const std::string subject = "tcp.rto_max";
  auto most = kKernelsRtoMax;
  for (const auto& stream : config.streams) most = std::min(most, stream.tcp.rto_max);
  if (most == kKernelsRtoMax) return {Verdict::kOk, subject, "the kernel's default"};
  const auto detail = text_of(most);
  if (tcpinfo::set_rto_max(fd, most)) return {Verdict::kOk, subject, detail + " works"};
  return {Verdict::kLimited, subject,
          detail + " needs Linux 6.15; frames may stay away for another outage's length",
          "set tcp.rto_max = \"2m\", which is what this kernel does"};
}

Finding unreadable(const std::string& subject, const std::string& name) {
  return {Verdict::kLimited, subject, fmt::format("net.ipv4.{} cannot be read", name)};
}

Finding slow_start_after_idle(const Sysctls& sysctls) {
  const std::string subject = "slow start after idle";
  const auto value = sysctls.words("tcp_slow_start_after_idle");
  if (value.empty()) return unreadable(subject, "tcp_slow_start_after_idle");
  if (value.front() == "0") {
    return {Verdict::kOk, subject, "off; connections keep their window during pauses"};
  }
  return {Verdict::kLimited, subject, "on; connections start slowly after a pause",
          "sysctl net.ipv4.tcp_slow_start_after_idle=0"};
}

/// The send buffer must hold the data in flight: the highest rate times a long round trip.
Finding send_buffer(const Config& config, const Sysctls& sysctls) {
  constexpr auto kLongestPlannedRtt = std::chrono::milliseconds{500};
  const auto limits = sysctls.words("tcp_wmem");
  const auto limit = sysctls.number("tcp_wmem", 2);
  if (!limit) return unreadable("send buffer", "tcp_wmem");
  base::BitRate rate;
  for (const auto& stream : config.streams) rate = std::max(rate, stream.control.rate.max);
  const auto needed = rate * kLongestPlannedRtt;
  const base::ByteCount most{*limit};
  const auto detail =
      fmt::format("up to {}; {}bit/s with an RTT of {} need {} KiB", text_of(most), text_of(rate),
                  text_of(kLongestPlannedRtt), needed.bytes() / 1024);
  // The kernel counts a segment's overhead as well: up to twice its bytes.
  if (most.bytes() >= 2 * needed.bytes()) return {Verdict::kOk, "send buffer", detail};
  return {Verdict::kLimited, "send buffer", detail,
          fmt::format("sysctl net.ipv4.tcp_wmem=\"{} {} {}\"", limits[0], limits[1],
                      4 * needed.bytes())};
}

Finding route(const NetworkRule& rule) {
  const auto subject = rule.network.text();
  const auto found = tcpinfo::find_route(subject);
  if (!found) return {Verdict::kLimited, subject, found.error()};
  const auto wanted = fmt::format("initcwnd {}", rule.initcwnd);
  if (found->exact && found->initcwnd == static_cast<std::uint32_t>(rule.initcwnd)) {
    return {Verdict::kOk, subject, wanted + " is set"};
  }
  if (base::holds_capability(CAP_NET_ADMIN)) {
    return {Verdict::kOk, subject, "symcast serve will set " + wanted};
  }
  return {Verdict::kLimited, subject, wanted + " is not set, and setting it needs CAP_NET_ADMIN",
          "symcast.service has the capability"};
}

}  // namespace

Findings examine_kernel(const Config& config, const Sysctls& sysctls) {
  const Loopback loopback;
  Findings findings{kernel(), tcp_info(loopback.fd())};
  for (auto& finding : congestion_controls(config, sysctls)) findings.push_back(std::move(finding));
  for (auto& finding : congestion_events()) findings.push_back(std::move(finding));
  const auto ours = std::ranges::find(findings, kOwnControlsSubject, &Finding::subject);
  const bool by_ebpf = ours != findings.end() && ours->verdict == Verdict::kOk;
  findings.push_back(rto_min(config, loopback.fd(), by_ebpf));
  findings.push_back(rto_max(config, loopback.fd()));
  findings.push_back(pacing(loopback.fd()));
  findings.push_back(slow_start_after_idle(sysctls));
  findings.push_back(send_buffer(config, sysctls));
  for (const auto& rule : route_rules(config)) findings.push_back(route(rule));
  return findings;
}

}  // namespace app
