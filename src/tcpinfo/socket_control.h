#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"

/// Options of TCP sockets. Each setter returns false and sets errno if the kernel refuses.
/// Thread-safe, a few µs, allowed at any time of a connection.
namespace tcpinfo {

/// SO_MAX_PACING_RATE (socket(7)): also turns on TCP's own pacing, for the life of the socket.
bool set_max_pacing_rate(int fd, base::BitRate rate);

/// TCP_NOTSENT_LOWAT (tcp(7)): the socket is writable while fewer bytes than `mark` wait unsent.
bool set_notsent_lowat(int fd, base::ByteCount mark);

/// TCP_RTO_MIN_US (Linux 6.15): the minimum time that the retransmission timer runs beyond the
/// smoothed round trip, by default 200 ms. The per-socket form of net.ipv4.tcp_rto_min_us (the
/// kernel's ip-sysctl.rst). ENOPROTOOPT: the kernel is older. EINVAL: less than two of its ticks,
/// or more than 200 ms.
bool set_rto_min(int fd, base::Duration minimum);

/// TCP_RTO_MAX_MS (Linux 6.15): the limit up to which the retransmission timer doubles while no
/// acknowledgement arrives, by default 120 s. Also limits its first run, so that it expires without
/// a loss if the round trip is longer (tcp_set_rto in tcp_input.c). The per-socket form of
/// net.ipv4.tcp_rto_max_ms (the kernel's ip-sysctl.rst). ENOPROTOOPT: the kernel is older. EINVAL:
/// less than 1 s, or more than 120 s.
bool set_rto_max(int fd, base::Duration maximum);

/// TCP_CONGESTION (tcp(7)). On a listening socket: the congestion control of new connections.
/// ENOENT: the kernel has none of this name. EPERM: only processes with CAP_NET_ADMIN may use it.
bool set_congestion_control(int fd, const std::string& name);

/// The congestion control in force, without OwnControls::suffix if it is ours; empty if `fd` is not
/// a TCP socket.
std::string congestion_control(int fd);

/// SO_COOKIE (socket(7)): a number that no other socket has while the system runs. 0 if `fd` is
/// not a socket.
std::uint64_t socket_cookie(int fd);

/// The congestion control in force by its kernel name, with OwnControls::suffix.
std::string congestion_control_in_kernel(int fd);

/// net.ipv4.tcp_available_congestion_control: names separated by blanks; empty if unreadable.
std::string available_congestion_controls();
/// Whether a process without CAP_NET_ADMIN may set it (net.ipv4.tcp_allowed_congestion_control).
bool allows_congestion_control(const std::string& name);

}  // namespace tcpinfo
