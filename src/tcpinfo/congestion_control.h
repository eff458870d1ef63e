#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.h"

namespace tcpinfo {

/// The congestion controls that we add to the kernel (bpf/congestion_controls.bpf.c), by the names
/// that our users write. In the kernel they may have a suffix: see OwnControls.
inline constexpr std::array<std::string_view, 8> kOwnCongestionControls{
    "sym_vreno", "sym_vcubic", "sym_libra", "sym_ccp",
    "sym_ccpd",  "sym_ccpsss", "sym_ccpvs", "sym_ccplss"};

/// Whether slow start of `name` ends at ssthresh or with a loss and nothing else, so that it
/// overshoots what it is not told: Reno and what is built on its slow start (the kernel's tcp_*.c),
/// Cubic, whose HyStart notices the queue only on some paths, and ours with VideoRateSsthresh.
///
/// Not bbr, which sets ssthresh to infinity and never reads it; not vegas, nv and cdg, whose delay
/// measurement ends slow start without a loss, and which from there grow by a segment in a round
/// trip; not dctcp, whose queues' marks do; not CCP's other slow starts, whose very difference it
/// is. Pure.
bool heeds_ssthresh(std::string_view name);

/// Whether `name` is bbr, of any version: it paces by itself, and sends as if there were no
/// ssthresh, after a loss too. Pure.
bool is_bbr(std::string_view name);

/// Whether `name` makes use of Hints::capacity: Libra and CCP. Pure.
bool uses_capacity(std::string_view name);

/// Where ssthresh cannot be set the pace is limited to so many times the video's rate: as the
/// kernel paces slow start (net.ipv4.tcp_pacing_ss_ratio). Frames' trains show a path's capacity
/// only up to the pace.
inline constexpr double kPaceForRate = 2;

/// VideoRateSsthresh (bpf/video_rate.h): segments of the window that carries `rate`, 4 at least.
/// The round trip counts as 20 to 500 ms: on a shorter one the hint would stop slow start at once,
/// though the queue there holds much more than the pipe; and what is longer was lengthened by a
/// retransmitted SYN or a full queue (1.7 s were seen). Pure.
std::uint32_t video_rate_ssthresh(base::BitRate rate, base::Duration min_rtt, std::uint32_t mss);

}  // namespace tcpinfo
