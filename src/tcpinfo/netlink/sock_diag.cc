#include "tcpinfo/netlink/sock_diag.h"

#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include <utility>

namespace tcpinfo {

namespace {

constexpr std::uint8_t bit(int attribute) {
  return static_cast<std::uint8_t>(1 << (attribute - 1));
}

/// The kernel's filter program for sockets (inet_diag_bc_run, net/ipv4/inet_diag.c). Each operation
/// jumps `yes` or `no` bytes forward. A socket passes if the program stops exactly at its end, and
/// fails if it jumps beyond:
///
///     sport == p1 ?  yes: jump to the end
///                    no:  sport == p2 ?  ...  last port: yes: the end, no: beyond
std::vector<inet_diag_bc_op> port_filter(const std::vector<std::uint16_t>& ports) {
  constexpr unsigned kOpBytes = sizeof(inet_diag_bc_op);
  std::vector<inet_diag_bc_op> code;
  const auto add = [&](int op, unsigned yes, std::size_t no) {
    code.push_back({static_cast<unsigned char>(op), static_cast<unsigned char>(yes),
                    static_cast<unsigned short>(no)});
  };
  for (std::size_t left = ports.size(); left > 0; --left) {
    add(INET_DIAG_BC_S_EQ, 2 * kOpBytes, 3 * kOpBytes);
    add(INET_DIAG_BC_NOP, 0, ports[ports.size() - left]);  // the operand
    if (left > 1) add(INET_DIAG_BC_JMP, kOpBytes, (3 * (left - 1)) * kOpBytes);
  }
  return code;
}

NetlinkMessage request_for(int family, const DiagQuery& query) {
  inet_diag_req_v2 wanted{};
  wanted.sdiag_family = static_cast<std::uint8_t>(family);
  wanted.sdiag_protocol = IPPROTO_TCP;
  // VEGASINFO asks the socket's congestion control for its own data; bbr answers with BBRINFO.
  wanted.idiag_ext = bit(INET_DIAG_INFO) | bit(INET_DIAG_CONG) | bit(INET_DIAG_VEGASINFO);
  for (const auto state : query.states) wanted.idiag_states |= 1U << static_cast<unsigned>(state);
  auto filter = port_filter(query.local_ports);
  const auto filter_bytes = static_cast<int>(filter.size() * sizeof(inet_diag_bc_op));

  const int size = nlmsg_total_size(sizeof wanted) + nla_total_size(filter_bytes);
  NetlinkMessage message{nlmsg_alloc_size(static_cast<std::size_t>(size))};
  nlmsg_put(message.get(), NL_AUTO_PORT, NL_AUTO_SEQ, SOCK_DIAG_BY_FAMILY, 0, NLM_F_DUMP);
  nlmsg_append(message.get(), &wanted, sizeof wanted, NLMSG_ALIGNTO);
  if (filter_bytes > 0) {
    nla_put(message.get(), INET_DIAG_REQ_BYTECODE, filter_bytes, filter.data());
  }
  return message;
}

}  // namespace

base::Result<SockDiag> SockDiag::open() {
  auto socket = NetlinkSocket::open(NETLINK_SOCK_DIAG);
  if (!socket) return base::Error{socket.error()};
  return SockDiag{std::move(*socket)};
}

base::Result<std::vector<DiagSocket>> SockDiag::dump(const DiagQuery& query) {
  std::vector<DiagSocket> sockets;
  for (const int family : {AF_INET, AF_INET6}) {
    const int failure = socket_.request(*request_for(family, query), [&](wire::Bytes payload) {
      if (auto socket = parse_diag_socket(payload)) sockets.push_back(std::move(*socket));
    });
    if (failure != 0) {
      return base::Error{"the kernel does not list TCP sockets (" + error_text(failure) +
                         "); load its module with `modprobe tcp_diag`"};
    }
  }
  return sockets;
}

}  // namespace tcpinfo
