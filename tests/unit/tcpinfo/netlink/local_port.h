#pragma once

#include <cstdint>

namespace tcpinfo {

/// The port that an IPv4 socket is bound to.
std::uint16_t local_port(int fd);

}  // namespace tcpinfo
