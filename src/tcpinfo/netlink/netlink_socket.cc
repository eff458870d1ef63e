#include "tcpinfo/netlink/netlink_socket.h"

#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

namespace tcpinfo {

namespace {

// The kernel sends a dump in parts of up to 32 KiB (netlink_dump, net/netlink/af_netlink.c).
constexpr std::size_t kDumpPartBytes = 32 * 1024;

using Visit = std::function<void(wire::Bytes)>;

int pass_on(nl_msg* message, void* visit) {
  const auto* header = nlmsg_hdr(message);
  (*static_cast<const Visit*>(visit))({static_cast<const std::byte*>(nlmsg_data(header)),
                                       static_cast<std::size_t>(nlmsg_datalen(header))});
  return NL_OK;
}

}  // namespace

void FreeNetlinkMessage::operator()(nl_msg* message) const { nlmsg_free(message); }

void NetlinkSocket::Free::operator()(nl_sock* socket) const { nl_socket_free(socket); }

base::Result<NetlinkSocket> NetlinkSocket::open(int protocol) {
  NetlinkSocket opened{nl_socket_alloc()};
  nl_sock* socket = opened.socket_.get();
  if (socket == nullptr) {
    return base::Error{"failed to open a netlink socket: " + error_text(-NLE_NOMEM)};
  }
  if (const int failure = nl_connect(socket, protocol)) {
    return base::Error{"failed to open a netlink socket: " + error_text(failure)};
  }
  nl_socket_set_msg_buf_size(socket, kDumpPartBytes);
  nl_socket_disable_msg_peek(socket);  // peeking would copy each part only to learn its size
  return opened;
}

int NetlinkSocket::request(nl_msg& request, const Visit& visit) {
  nl_sock* socket = socket_.get();
  const int failure =
      nl_socket_modify_cb(socket, NL_CB_VALID, NL_CB_CUSTOM, pass_on, const_cast<Visit*>(&visit));
  if (failure != 0) return failure;
  if (const int sent = nl_send_auto(socket, &request); sent < 0) return sent;
  return nl_recvmsgs_default(socket);
}

int NetlinkSocket::join(int group) { return nl_socket_add_membership(socket_.get(), group); }

int NetlinkSocket::fd() const { return nl_socket_get_fd(socket_.get()); }

std::string error_text(int failure) { return nl_geterror(failure); }

}  // namespace tcpinfo
