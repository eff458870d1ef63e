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
/// Used by one thread at a time. Failures are libnl's codes, NLE_*, negative; see error_text().
class NetlinkSocket {
 public:
  static base::Result<NetlinkSocket> open(int protocol);

  /// Sends `request` and calls `visit` with the payload of each message of the answer, which may
  /// not throw. Waits for its end, or the acknowledgement. 0 or a failure.
  int request(nl_msg& request, const std::function<void(wire::Bytes)>& visit);

  /// Messages sent to `group` arrive from now on. 0 or a failure.
  int join(int group);
  int fd() const;

 private:
  struct Free {
    void operator()(nl_sock* socket) const;
  };
  explicit NetlinkSocket(nl_sock* socket) : socket_{socket} {}

  std::unique_ptr<nl_sock, Free> socket_;
};

std::string error_text(int failure);

}  // namespace tcpinfo
