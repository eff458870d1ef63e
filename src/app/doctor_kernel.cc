#include "app/doctor_kernel.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>

#include "app/config_units.h"
#include "base/system_error.h"
#include "base/unique_fd.h"
#include "tcpinfo/socket_control.h"
#include "tcpinfo/tcp_info.h"

namespace app {

namespace {

using base::UniqueFd;

std::vector<std::string> sysctl(const std::string& name) {
  std::ifstream file{"/proc/sys/net/ipv4/" + name};
  return {std::istream_iterator<std::string>{file}, {}};
}

/// Our end of an established connection to ourselves.
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

/// Bytes of struct tcp_info that this kernel fills; it grows with every few versions.
std::size_t tcp_info_length(int fd) {
  std::array<std::byte, 1024> info{};
  socklen_t length = info.size();
  base::check("getsockopt TCP_INFO", ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, info.data(), &length));
  return length;
}

Finding tcp_info(int fd) {
  const auto length = tcp_info_length(fd);
  if (length < tcpinfo::kTcpInfoLength61) {
    return {Verdict::kLimited, "TCP_INFO",
            fmt::format("{} bytes, of {} that are read", length, tcpinfo::kTcpInfoLength61),
            "Linux 6.1 or later tells more about each connection"};
  }
  const bool counts = tcpinfo::TcpInfoReading{.info = {}, .length = length}.has_total_rto();
  return {Verdict::kOk, "TCP_INFO",
          fmt::format("{} bytes, {}", length,
                      counts ? "with total_rto" : "without total_rto (Linux 6.7)")};
}

Findings congestion_controls(const Config& config) {
  const auto available = available_congestion_controls();
  const auto allowed = sysctl("tcp_allowed_congestion_control");
  const auto standard = sysctl("tcp_congestion_control");
  Findings findings{
      {Verdict::kOk, "congestion control",
       fmt::format("{}; default {}", fmt::join(available, ", "), fmt::join(standard, " "))}};
  std::set<std::string> wanted{"bbr"};  // what [tcp] recommends
  for (const auto& stream : config.streams) {
    wanted.insert(stream.tcp.congestion_control);
    for (const auto& rule : stream.tcp.networks) wanted.insert(rule.congestion_control);
  }
  wanted.erase("");
  for (const auto& name : wanted) {
    if (std::ranges::find(available, name) == available.end()) {
      findings.push_back({Verdict::kLimited, name, "not offered by this kernel as it runs",
                          fmt::format("modprobe tcp_{0}; echo tcp_{0} > "
                                      "/etc/modules-load.d/symcast.conf",
                                      name)});
    } else if (std::ranges::find(allowed, name) == allowed.end()) {
      findings.push_back({Verdict::kLimited, name, "only for processes with CAP_NET_ADMIN",
                          fmt::format("sysctl net.ipv4.tcp_allowed_congestion_control=\"{} {}\"",
                                      fmt::join(allowed, " "), name)});
    }
  }
  return findings;
}

Finding pacing(int fd) {
  if (tcpinfo::set_max_pacing_rate(fd, base::BitRate::mbps(10))) {
    return {Verdict::kOk, "SO_MAX_PACING_RATE", "tcp.pacing works"};
  }
  return {Verdict::kLimited, "SO_MAX_PACING_RATE", std::strerror(errno), "leave tcp.pacing at 0"};
}

Finding ack_timestamps(int fd) {
  const int flags = SOF_TIMESTAMPING_TX_ACK | SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_ID |
                    SOF_TIMESTAMPING_OPT_TSONLY;
  if (::setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags) == 0) {
    return {Verdict::kOk, "ACK timestamps", "each frame's acknowledgement can be timed"};
  }
  return {Verdict::kLimited, "ACK timestamps", std::strerror(errno)};
}

Finding slow_start_after_idle() {
  const auto value = sysctl("tcp_slow_start_after_idle");
  if (value != std::vector<std::string>{"1"}) {
    return {Verdict::kOk, "slow start after idle", "off: connections keep their window in pauses"};
  }
  return {Verdict::kLimited, "slow start after idle", "on: after a pause viewers begin slowly",
          "sysctl net.ipv4.tcp_slow_start_after_idle=0"};
}

/// The send buffer must hold what is in flight: the highest rate for one long round trip.
Finding send_buffer(const Config& config) {
  constexpr auto kLongRoundTrip = std::chrono::milliseconds{500};
  base::BitRate rate;
  for (const auto& stream : config.streams) rate = std::max(rate, stream.control.rate.max);
  const auto needed = rate * kLongRoundTrip;
  const auto limits = sysctl("tcp_wmem");
  const base::ByteCount most{limits.size() == 3 ? std::stoll(limits[2]) : 0};
  const auto detail = fmt::format("up to {}; {} bit/s over {} need {} KiB", text_of(most),
                                  text_of(rate), text_of(kLongRoundTrip), needed.bytes() / 1024);
  // The kernel accounts for a segment with its overhead: up to twice its bytes.
  if (most.bytes() >= 2 * needed.bytes()) return {Verdict::kOk, "send buffer", detail};
  return {Verdict::kLimited, "send buffer", detail,
          fmt::format("sysctl net.ipv4.tcp_wmem=\"{} {} {}\"", limits.at(0), limits.at(1),
                      4 * needed.bytes())};
}

}  // namespace

Findings examine_kernel(const Config& config) {
  const Loopback loopback;
  Findings findings{kernel(), tcp_info(loopback.fd())};
  for (auto& finding : congestion_controls(config)) findings.push_back(std::move(finding));
  findings.push_back(pacing(loopback.fd()));
  findings.push_back(ack_timestamps(loopback.fd()));
  findings.push_back(slow_start_after_idle());
  findings.push_back(send_buffer(config));
  return findings;
}

}  // namespace app
