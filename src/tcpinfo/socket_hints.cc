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

const std::string kPoke = "sym_poke";

bool is_ours(const std::string& name) { return name.starts_with("sym_"); }

std::string refused(const std::string& what) { return what + ": " + std::strerror(errno); }

std::uint64_t bytes_per_second(base::BitRate rate) {
  return static_cast<std::uint64_t>(rate.bps() / 8);
}

/// Empty before the first measurement.
std::optional<base::Duration> min_rtt(const TcpInfo& info) {
  if (info.min_rtt == 0 || info.min_rtt == ~0u) return std::nullopt;  // ~0: minmax's own start
  return std::chrono::microseconds{info.min_rtt};
}

std::optional<std::uint32_t> ssthresh_for(base::BitRate rate, const TcpInfo& info) {
  const auto rtt = min_rtt(info);
  if (!rtt || rate.bps() == 0) return std::nullopt;
  return video_rate_ssthresh(rate, *rtt, info.snd_mss);
}

/// What is to be set when the connection goes from `current` to `next`.
std::optional<std::uint32_t> choose_ssthresh(const Hints& hints, const std::string& current,
                                             const std::string& next, const TcpInfo& info) {
  if (hints.ssthresh || !heeds_ssthresh(next)) return hints.ssthresh;
  if (const auto ssthresh = ssthresh_for(hints.ssthresh_factor * hints.video_rate, info))
    return ssthresh;
  // Nothing is sent: infinite is what every connection begins with.
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
  if (!before) return {.error = refused("TCP_INFO")};
  const std::string current = congestion_control(fd);
  const bool stays = hints.congestion_control.empty();
  const std::string next = stays ? current : hints.congestion_control;
  if (!stays && is_ours(next) && !std::ranges::count(own_.names, next)) {
    errno = ENOENT;  // or it would be another server's
    return {.congestion_control = current, .error = why_not(next)};
  }
  Hints chosen = hints;
  chosen.ssthresh = choose_ssthresh(hints, current, next, before->info);

  AppliedHints applied;
  const std::string before_name = congestion_control_in_kernel(fd);
  const Change change{before_name, stays ? before_name : kernel_name(next), next};
  applied.error = map_ ? poke(fd, change, chosen) : select(fd, change, hints);
  applied.paced_instead = !map_ && chosen.ssthresh && hints.video_rate.bps() > 0;
  if (applied.paced_instead && !set_max_pacing_rate(fd, kPaceForRate * hints.video_rate)) {
    applied.error = refused("SO_MAX_PACING_RATE");
  }
  read_back(fd, applied);
  return applied;
}

/// Without eBPF. Returns what was refused.
std::string SocketHints::select(int fd, const Change& change, const Hints& hints) const {
  if (!set_congestion_control(fd, change.to)) return why_not(change.wanted);
  // A limited pace stands for ssthresh where the video's rate is known.
  if (!hints.cwnd && (!hints.ssthresh || hints.video_rate.bps() > 0)) return {};
  return "ssthresh and cwnd: only eBPF can set them; see symcast doctor";
}

/// Through sym_poke. Returns what was refused.
std::string SocketHints::poke(int fd, const Change& change, const Hints& chosen) const {
  symcast_hint hint = map_.get(fd);
  hint.ssthresh = chosen.ssthresh.value_or(0);
  hint.cwnd = chosen.cwnd.value_or(0);
  if (chosen.capacity) hint.capacity = bytes_per_second(*chosen.capacity);
  if (chosen.video_rate.bps() > 0) hint.video_rate = bytes_per_second(chosen.video_rate);
  std::strncpy(hint.next, change.to.c_str(), sizeof hint.next - 1);
  if (!map_.put(fd, hint)) return refused("hint");

  // Selected by itself first: so the kernel says what it does not have (and loads a module, should
  // we still have CAP_NET_ADMIN). What is for CAP_NET_ADMIN only, sym_poke may select.
  const bool selected = set_congestion_control(fd, change.to);
  if (!selected && errno != EPERM) return why_not(change.wanted);
  if (selected && !chosen.ssthresh && !chosen.cwnd) return {};
  if (!set_congestion_control(fd, kernel_name(kPoke))) return refused(kPoke);
  if (congestion_control(fd) != kPoke) return {};
  // The kernel did not let sym_poke select another: then we do, now that the values are put.
  if (set_congestion_control(fd, change.to)) return {};
  std::string error = why_not(change.wanted);
  set_congestion_control(fd, change.from);
  return error;
}

bool SocketHints::set_rto_min(int fd, base::Duration least) const {
  if (tcpinfo::set_rto_min(fd, least)) return true;
  return errno == ENOPROTOOPT && poke_rto_min(fd, least);
}

bool SocketHints::poke_rto_min(int fd, base::Duration least) const {
  errno = ENOPROTOOPT;
  if (!map_) return false;
  symcast_hint hint = map_.get(fd);
  hint.ssthresh = 0;
  hint.cwnd = 0;
  hint.rto_min = static_cast<std::uint32_t>(least / std::chrono::microseconds{1});
  const std::string control = congestion_control_in_kernel(fd);
  std::strncpy(hint.next, control.c_str(), sizeof hint.next - 1);
  if (!map_.put(fd, hint) || !set_congestion_control(fd, kernel_name(kPoke))) return false;
  if (congestion_control(fd) == kPoke) set_congestion_control(fd, control);
  errno = EINVAL;
  return map_.get(fd).rto_min == 0;
}

std::string SocketHints::why_not(const std::string& name) const {
  if (errno == EPERM) {
    return name + ": without CAP_NET_ADMIN only what net.ipv4.tcp_allowed_congestion_control lists";
  }
  if (errno != ENOENT) return refused(name);
  std::string names;
  for (const auto& available : this->available()) names += " " + available;
  return name + ": this kernel has no such congestion control; it has" + names;
}

std::vector<std::string> SocketHints::available() const {
  std::istringstream line{available_congestion_controls()};
  std::vector<std::string> names{std::istream_iterator<std::string>{line}, {}};
  std::erase_if(names, is_ours);  // the kernel names those of every symcast on the machine
  names.insert(names.end(), own_.names.begin(), own_.names.end());
  return names;
}

std::string SocketHints::kernel_name(const std::string& name) const {
  return is_ours(name) ? name + own_.suffix : name;
}

}  // namespace tcpinfo
