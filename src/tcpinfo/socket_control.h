#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

namespace tcpinfo {

/// SO_MAX_PACING_RATE (socket(7)): turns TCP's own pacing on for the socket, for good. Returns
/// false, with errno, when the kernel refuses. Thread-safe, a few µs, at any time of a connection.
bool set_max_pacing_rate(int fd, base::BitRate rate);

/// TCP_NOTSENT_LOWAT (tcp(7)): the socket is writable while less than this waits unsent. The same.
bool set_notsent_lowat(int fd, base::ByteCount mark);

/// TCP_RTO_MIN_US (Linux 6.15; for one socket what net.ipv4.tcp_rto_min_us of the kernel's
/// ip-sysctl.rst is for all): the retransmission timer runs for so long beyond the smoothed round
/// trip at least, by default 200 ms. The same; ENOPROTOOPT: an older kernel, EINVAL: less than two
/// of its ticks, or more than 200 ms.
bool set_rto_min(int fd, base::Duration least);

/// TCP_RTO_MAX_MS (Linux 6.15; for one socket what net.ipv4.tcp_rto_max_ms of the kernel's
/// ip-sysctl.rst is for all): the retransmission timer doubles up to that while nothing is heard,
/// by default 120 s. The same; ENOPROTOOPT: an older kernel, EINVAL: less than 1 s, or more
/// than that.
bool set_rto_max(int fd, base::Duration most);

/// TCP_CONGESTION (tcp(7)); of a listening socket: what its connections begin with. False, with
/// errno: ENOENT there is none of this name, EPERM it is for processes with CAP_NET_ADMIN.
bool set_congestion_control(int fd, const std::string& name);

/// The congestion control in force, of ours the name without OwnControls::suffix; empty when `fd`
/// is no TCP socket.
std::string congestion_control(int fd);

/// SO_COOKIE (socket(7)): the socket's own number while the system runs. 0 when `fd` is no socket.
std::uint64_t socket_cookie(int fd);

/// The same as the kernel names it.
std::string congestion_control_in_kernel(int fd);

/// net.ipv4.tcp_available_congestion_control, separated by blanks; empty when it cannot be read.
std::string available_congestion_controls();

}  // namespace tcpinfo
