#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "tcpinfo/netlink/wire.h"

struct nl_msg;
struct nl_sock;

namespace tcpinfo {

struct FreeNetlinkMessage {
  void operator()(nl_msg* message) const;
};
using NetlinkMessage = std::unique_ptr<nl_msg, FreeNetlinkMessage>;

/// A socket of one netlink protocol (libnl), in the network namespace of the thread that opens it.
/// Used by one thread at a time. Functions that return int return 0 or libnl's negative error code
/// (NLE_*); see error_text().
class NetlinkSocket {
 public:
  /// `protocol`: NETLINK_ROUTE, NETLINK_SOCK_DIAG, ...
  static base::Result<NetlinkSocket> open(int protocol);

  /// Sends `request`, calls `visit` with the payload of each message of the answer, and returns at
  /// the end of the answer or at the acknowledgement. `visit` must not throw.
  int request(nl_msg& request, const std::function<void(wire::Bytes)>& visit);

  /// Subscribes to the messages of `group`.
  int join(int group);
  int fd() const;

 private:
  struct Free {
    void operator()(nl_sock* socket) const;
  };
  explicit NetlinkSocket(nl_sock* socket) : socket_{socket} {}

  std::unique_ptr<nl_sock, Free> socket_;
};

/// The text of a libnl error code.
std::string error_text(int failure);

}  // namespace tcpinfo
