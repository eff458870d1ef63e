#pragma once

#include <optional>
#include <string>

#include "base/units.h"

namespace tcpinfo {

/// What a socket's TCP can be told; see tcp(7), socket(7). Each returns false, with errno, when the
/// kernel refuses. Thread-safe, a few µs a call, at any time of a connection.
bool set_congestion_control(int fd, const std::string& name);

/// Empty: no limit (again). Turns TCP's own pacing on for the socket.
bool set_max_pacing_rate(int fd, std::optional<base::BitRate> rate);

/// TCP_NOTSENT_LOWAT: send() refuses while so much is unsent, so what is late stays in user space.
bool set_notsent_lowat(int fd, base::ByteCount amount);

/// The congestion control in force; empty when `fd` is no TCP socket.
std::string congestion_control(int fd);

/// net.ipv4.tcp_available_congestion_control, separated by blanks.
std::string available_congestion_controls();

}  // namespace tcpinfo
