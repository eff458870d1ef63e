#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace tcpinfo {

/// The congestion controls that we add to the kernel (bpf/congestion_controls.bpf.c), by the names
/// used in the configuration. In the kernel the names may have a suffix; see OwnControls.
inline constexpr std::array<std::string_view, 8> kOwnCongestionControls{
    "sym_vreno", "sym_vcubic", "sym_libra", "sym_ccp",
    "sym_ccpd",  "sym_ccpsss", "sym_ccpvs", "sym_ccplss"};

/// Whether slow start of `name` ends only at ssthresh or at a loss, so that it overshoots without a
/// hint. True for Reno and the controls built on its slow start (the kernel's tcp_*.c), for Cubic,
/// whose HyStart notices the queue only on some paths, for sym_libra, and for ours with
/// VideoRateSsthresh.
///
/// False for bbr, which sets ssthresh to infinity and never reads it; for vegas, nv and cdg, whose
/// delay measurement ends slow start without a loss and which then grow by one segment per round
/// trip; for dctcp, where ECN marks end slow start; and for CCP's other slow starts, which end by
/// rules of their own. A pure function.
bool uses_ssthresh(std::string_view name);

/// Whether `name` is bbr of any version: it paces by itself and ignores ssthresh, even after a
/// loss. A pure function.
bool is_bbr(std::string_view name);

/// Whether `name` uses Hints::capacity: Libra and CCP do. A pure function.
bool uses_capacity(std::string_view name);

/// Where ssthresh cannot be set, the pace is limited to this multiple of the video's rate, as the
/// kernel paces slow start (net.ipv4.tcp_pacing_ss_ratio). A larger factor lets slow start
/// overshoot further; a smaller one hides capacity, which packet trains show only up to the pace.
inline constexpr double kStartPaceFactor = 2;

/// VideoRateSsthresh (bpf/video_rate.h): the window, in segments, that carries `rate`; at least 4.
/// `min_rtt` is clamped to 20 to 500 ms. On a shorter round trip the hint would stop slow start at
/// once, although the queue there holds much more than the pipe. A longer round trip (1.7 s was
/// seen) comes from a retransmitted SYN or a full queue. A pure function.
std::uint32_t video_rate_ssthresh(base::BitRate rate, base::Duration min_rtt, std::uint32_t mss);

}  // namespace tcpinfo
