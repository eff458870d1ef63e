#pragma once

#include <sys/socket.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "transcoder/wire/access_message.h"
#include "transcoder/wire/channel.h"

namespace transcoder {

/// The way to other hosts of a source's process: asks the server to make the calls that open
/// something. They behave as those of the C library do, errno included. A refusal ends the
/// process, but for datagrams, which fail as a firewall lets them. Thread-safe; one for the
/// process, before any thread that uses sockets.
class AccessGate {
 public:
  AccessGate(base::UniqueFd access, base::UniqueFd lookup);
  ~AccessGate();
  AccessGate(const AccessGate&) = delete;
  AccessGate& operator=(const AccessGate&) = delete;

  /// The one of this process, if there is one.
  static AccessGate* active();

  /// Called on any thread, with the reason for the source's end; not expected to return.
  void on_refused(std::function<void(std::string)> call);

  /// Whether sockets to services of this machine (AF_UNIX) are for the C library. A pipeline that
  /// the operator wrote may need them, for audio for example.
  void permit_local_sockets() { permits_local_sockets_ = true; }
  bool permits_local_sockets() const { return permits_local_sockets_; }

  int connect(int fd, const sockaddr* to, socklen_t size);
  int bind(int fd, const sockaddr* at, socklen_t size);
  ssize_t send(int fd, const msghdr& message, int flags);

  /// The addresses of a host, without ports. Returns 0 or an error of getaddrinfo(3).
  int look_up(const std::string& host, std::vector<sockaddr_storage>& addresses);

  /// Whether the source may open the URI.
  bool may_open(const std::string& uri);
  /// The parts of a URI.
  bool may_open(wire::MayOpen place);

  /// Ends the source because it may not do something.
  void refuse(std::string reason) const;

 private:
  /// Waits for an answer. Failed, if the server has gone.
  wire::AccessAnswer ask(const wire::AccessRequest& request, int fd);
  wire::AccessAnswer ask(wire::Channel& channel, std::mutex& mutex,
                         const wire::AccessRequest& request, int fd) const;
  /// 0, or the error that the answer stands for.
  int error_of(const wire::AccessAnswer& answer, int if_refused) const;

  std::mutex access_mutex_;
  wire::Channel access_;  // GUARDED_BY(access_mutex_)
  std::mutex lookup_mutex_;
  wire::Channel lookup_;  // GUARDED_BY(lookup_mutex_)
  std::function<void(std::string)> on_refused_;
  std::atomic<bool> permits_local_sockets_ = false;
};

}  // namespace transcoder
