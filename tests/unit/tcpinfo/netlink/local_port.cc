#include "local_port.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/system_error.h"

namespace tcpinfo {

std::uint16_t local_port(int fd) {
  sockaddr_in address{};
  socklen_t length = sizeof address;
  base::check("getsockname", ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length));
  return ntohs(address.sin_port);
}

}  // namespace tcpinfo
