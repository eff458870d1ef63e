#include "loopback.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>

#include "base/system_error.h"

namespace tcpinfo {

Loopback::Loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  listener_.reset(base::check("socket", ::socket(AF_INET, SOCK_STREAM, 0)));
  base::check("bind", ::bind(listener_.get(), generic, length));
  base::check("listen", ::listen(listener_.get(), 1));
  base::check("getsockname", ::getsockname(listener_.get(), generic, &length));
  receiver_.reset(base::check("socket", ::socket(AF_INET, SOCK_STREAM, 0)));
  base::check("connect", ::connect(receiver_.get(), generic, length));
  sender_.reset(base::check("accept", ::accept(listener_.get(), nullptr, nullptr)));
  const int on = 1;
  base::check("TCP_NODELAY", ::setsockopt(sender_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
}

void Loopback::send(std::string_view text) {
  base::check("send", static_cast<int>(::send(sender_.get(), text.data(), text.size(), 0)));
}

void Loopback::lose(char first) {
  // A socket filter sees the segment from its TCP header on; byte 12 begins with the header's
  // length in words of four bytes (RFC 9293, 3.1). Segments without payload pass.
  std::array<sock_filter, 8> code{{
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 12),
      BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 4),
      BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 2),
      BPF_STMT(BPF_MISC | BPF_TAX, 0),
      BPF_STMT(BPF_LD | BPF_B | BPF_IND, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned char>(first), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, 0xffff),
  }};
  const sock_fprog program{.len = code.size(), .filter = code.data()};
  base::check("SO_ATTACH_FILTER", ::setsockopt(receiver_.get(), SOL_SOCKET, SO_ATTACH_FILTER,
                                               &program, sizeof program));
}

void Loopback::lose_nothing() {
  const int none = 0;
  base::check("SO_DETACH_FILTER",
              ::setsockopt(receiver_.get(), SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof none));
}

void Loopback::reset_by_receiver() {
  const linger none{.l_onoff = 1, .l_linger = 0};
  base::check("SO_LINGER",
              ::setsockopt(receiver_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none));
  receiver_.reset();
}

}  // namespace tcpinfo
