#pragma once

#include <string>

#include "base/unique_fd.h"

namespace netlab {

/// An anonymous network namespace with `lo` up. It lives as long as this object, or a process or
/// socket in it, so nothing is left in /run/netns however the program ends. Errors throw
/// base::SystemError. Needs CAP_SYS_ADMIN.
class NetworkNamespace {
 public:
  /// Moves the calling thread into a namespace, and back in the destructor.
  class Visit {
   public:
    explicit Visit(const NetworkNamespace& target);
    ~Visit();
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    base::UniqueFd home_;
  };

  NetworkNamespace();
  int fd() const { return fd_.get(); }

 private:
  base::UniqueFd fd_;
};

/// A TUN device, up, 1500 bytes MTU, IPv4 `address`/24, without IPv6 (whose neighbour chatter would
/// count as traffic). Offloads stay off, so that packets are as on a wire.
base::UniqueFd open_tun(const NetworkNamespace& where, const std::string& name,
                        const std::string& address);

}  // namespace netlab
