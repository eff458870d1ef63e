#pragma once

#include <sys/socket.h>

#include <functional>
#include <memory>
#include <vector>

#include "base/log_period.h"
#include "base/unique_fd.h"
#include "server/address.h"
#include "server/counters.h"
#include "server/event_loop.h"

struct evconnlistener;

namespace server {

/// Accepts connections on one loop. If the process has run out of descriptors or memory, it counts
/// and logs the failure and pauses instead of spinning. Constructed before the loop runs, then used
/// and destroyed on its thread.
class Acceptor {
 public:
  using Accept = std::function<void(base::UniqueFd, const Endpoint& peer)>;

  /// `failures` must outlive the acceptor.
  Acceptor(EventLoop& loop, std::vector<base::UniqueFd> listening, Accept accept,
           Counter& failures);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  void accepted(base::UniqueFd fd, const sockaddr_storage& peer);
  void failed(int error);

 private:
  struct Free {
    void operator()(evconnlistener* listener) const;
  };

  void resume();

  const std::vector<base::UniqueFd> listening_;
  const Accept accept_;
  std::vector<std::unique_ptr<evconnlistener, Free>> listeners_;
  EventLoop::RulePtr resume_;
  bool paused_ = false;
  Counter& failures_;
  base::LogPeriod period_;
};

}  // namespace server
