#include "tcpinfo/socket_hints.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <sstream>
#include <utility>

#include "bpf/hint.h"
#include "bpf/video_rate.h"
#include "tcpinfo/congestion_control.h"
#include "tcpinfo/socket_control.h"
#include "tcpinfo/socket_sampler.h"

namespace tcpinfo {

namespace {

// Sets windows and the minimum RTO, then selects another: bpf/congestion_controls.bpf.c.
const std::string kPokeControl = "sym_poke";
// Part of every kernel, and allowed for every process.
const std::string kEverywhere = "reno";

bool is_ours(const std::string& name) { return name.starts_with("sym_"); }

std::string failed_to(const std::string& act) {
  return "failed to " + act + ": " + std::strerror(errno);
}

std::uint64_t bytes_per_second(base::BitRate rate) {
  return static_cast<std::uint64_t>(rate.bps() / 8);
}

/// nullopt before the first measurement.
std::optional<base::Duration> min_rtt(const TcpInfo& info) {
  if (info.min_rtt == 0 || info.min_rtt == ~0u) return std::nullopt;  // ~0: initial value
  return std::chrono::microseconds{info.min_rtt};
}

std::optional<std::uint32_t> ssthresh_for(base::BitRate rate, const TcpInfo& info,
                                          base::Duration shortest = {}) {
  const auto rtt = min_rtt(info);
  if (!rtt || rate.bps() == 0) return std::nullopt;
  return video_rate_ssthresh(rate, std::max(*rtt, shortest), info.snd_mss);
}

/// The ssthresh to set when the connection goes from congestion control `current` to `next`;
/// nullopt leaves it.
std::optional<std::uint32_t> choose_ssthresh(const Hints& hints, const std::string& current,
                                             const std::string& next, const TcpInfo& info) {
  if (hints.ssthresh || !uses_ssthresh(next)) return hints.ssthresh;
  if (const auto ssthresh =
          ssthresh_for(hints.ssthresh_factor * hints.video_rate, info, hints.burst))
    return ssthresh;
  // Before the first data an infinite ssthresh is right: every connection begins with it.
  if (!is_bbr(current) || info.data_segs_out == 0) return std::nullopt;
  const base::BitRate delivered{static_cast<std::int64_t>(info.delivery_rate) * 8};
  return ssthresh_for(delivered, info)
      .value_or(std::max<std::uint32_t>(info.snd_cwnd, VIDEO_RATE_MIN_WINDOW));
}

void read_back(int fd, AppliedHints& applied) {
  applied.congestion_control = congestion_control(fd);
  const auto reading = read_tcp_info(fd);
  if (!reading) return;
  applied.cwnd = reading->info.snd_cwnd;
  if (reading->info.snd_ssthresh < kInfiniteSsthresh) {
    applied.ssthresh = reading->info.snd_ssthresh;
  }
}

}  // namespace

SocketHints::SocketHints(OwnControls own) : own_{std::move(own)}, map_{own_.hints} {}

AppliedHints SocketHints::apply(int fd, const Hints& hints) const {
  const auto before = read_tcp_info(fd);
  if (!before) return {.error = failed_to("read TCP_INFO")};
  const std::string current = congestion_control(fd);
  const bool stays = hints.congestion_control.empty();
  const std::string next = stays ? current : hints.congestion_control;
  if (!stays && is_ours(next) && !std::ranges::count(own_.names, next)) {
    errno = ENOENT;  // the kernel may have it, but then it is another server's
    return {.congestion_control = current, .error = why_not(next)};
  }
  Hints chosen = hints;
  chosen.ssthresh = choose_ssthresh(hints, current, next, before->info);

  AppliedHints applied;
  const std::string before_name = congestion_control_in_kernel(fd);
  const Change change{before_name, stays ? before_name : kernel_name(next), next};
  applied.error = map_ ? poke(fd, change, chosen) : select(fd, change, hints);
  applied.paced_instead = !map_ && chosen.ssthresh && hints.video_rate.bps() > 0;
  if (applied.paced_instead && !set_max_pacing_rate(fd, kStartPaceFactor * hints.video_rate)) {
    applied.error = failed_to("set SO_MAX_PACING_RATE");
  }
  read_back(fd, applied);
  return applied;
}

AppliedHints SocketHints::restart(int fd) const {
  const std::string current = congestion_control(fd);
  if (!set_congestion_control(fd, kEverywhere)) {
    return {.congestion_control = current, .error = failed_to("select " + kEverywhere)};
  }
  return apply(fd, {.congestion_control = current});
}

/// Without eBPF. Returns the error; empty if there is none.
std::string SocketHints::select(int fd, const Change& change, const Hints& hints) const {
  if (!set_congestion_control(fd, change.to)) return why_not(change.wanted);
  // A limited pace replaces ssthresh where the video's rate is known.
  if (!hints.cwnd && (!hints.ssthresh || hints.video_rate.bps() > 0)) return {};
  return "ssthresh and cwnd can be set only with eBPF; run `symcast doctor` to see why it is "
         "missing";
}

/// Through sym_poke. Returns the error; empty if there is none.
std::string SocketHints::poke(int fd, const Change& change, const Hints& chosen) const {
  symcast_hint hint = map_.get(fd);
  hint.ssthresh = chosen.ssthresh.value_or(0);
  hint.cwnd = chosen.cwnd.value_or(0);
  if (chosen.capacity) hint.capacity = bytes_per_second(*chosen.capacity);
  if (chosen.video_rate.bps() > 0) hint.video_rate = bytes_per_second(chosen.video_rate);
  std::strncpy(hint.next, change.to.c_str(), sizeof hint.next - 1);
  if (!map_.put(fd, hint)) return failed_to("store the hint for eBPF");

  // Select it directly first: the kernel then reports a missing one, and loads its module if we
  // still have CAP_NET_ADMIN. One that needs CAP_NET_ADMIN can be selected by sym_poke.
  const bool selected = set_congestion_control(fd, change.to);
  if (!selected && errno != EPERM) return why_not(change.wanted);
  if (selected && !chosen.ssthresh && !chosen.cwnd) return {};
  if (!set_congestion_control(fd, kernel_name(kPokeControl))) {
    return failed_to("select " + kPokeControl);
  }
  if (congestion_control(fd) != kPokeControl) return {};
  // The kernel did not let sym_poke select another. The values are set, so select it here.
  if (set_congestion_control(fd, change.to)) return {};
  std::string error = why_not(change.wanted);
  set_congestion_control(fd, change.from);
  return error;
}

bool SocketHints::set_rto_min(int fd, base::Duration minimum) const {
  if (tcpinfo::set_rto_min(fd, minimum)) return true;
  return errno == ENOPROTOOPT && poke_rto_min(fd, minimum);
}

bool SocketHints::poke_rto_min(int fd, base::Duration minimum) const {
  errno = ENOPROTOOPT;
  if (!map_) return false;
  symcast_hint hint = map_.get(fd);
  hint.ssthresh = 0;
  hint.cwnd = 0;
  hint.rto_min = static_cast<std::uint32_t>(minimum / std::chrono::microseconds{1});
  const std::string control = congestion_control_in_kernel(fd);
  std::strncpy(hint.next, control.c_str(), sizeof hint.next - 1);
  if (!map_.put(fd, hint) || !set_congestion_control(fd, kernel_name(kPokeControl))) return false;
  if (congestion_control(fd) == kPokeControl) set_congestion_control(fd, control);
  errno = EINVAL;
  return map_.get(fd).rto_min == 0;
}

std::string SocketHints::why_not(const std::string& name) const {
  if (errno == EPERM) {
    return "congestion control \"" + name +
           "\" needs CAP_NET_ADMIN, or an entry in net.ipv4.tcp_allowed_congestion_control";
  }
  if (errno != ENOENT) return failed_to("select congestion control \"" + name + "\"");
  std::string names;
  for (const auto& available : this->available()) names += " " + available;
  return "congestion control \"" + name + "\" is not available on this host; available:" + names;
}

std::vector<std::string> SocketHints::available() const {
  std::istringstream line{available_congestion_controls()};
  std::vector<std::string> names{std::istream_iterator<std::string>{line}, {}};
  std::erase_if(names, is_ours);  // the kernel lists those of every symcast on the machine
  names.insert(names.end(), own_.names.begin(), own_.names.end());
  return names;
}

std::string SocketHints::kernel_name(const std::string& name) const {
  return is_ours(name) ? name + own_.suffix : name;
}

}  // namespace tcpinfo
