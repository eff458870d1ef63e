#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "transcoder/access/address_policy.h"

namespace transcoder::access {

/// The address of a system call, as the kernel gets it and as the policy reads it.
struct CallAddress {
  sockaddr_storage raw{};
  socklen_t size = 0;
  base::Endpoint endpoint;
};

/// nullopt if the bytes are no address of the internet.
std::optional<CallAddress> call_address(std::span<const std::uint8_t> bytes);

/// A socket of a source's process, of which this process has a descriptor too, to make the calls
/// that the source may not make. No call waits. The results are those of the system calls, with
/// -errno for errors.
class GrantedSocket {
 public:
  /// The error means that it is no TCP or UDP socket, which no honest process sends.
  static base::Result<GrantedSocket> of(base::UniqueFd fd);

  int fd() const { return fd_.get(); }
  Transport transport() const { return transport_; }

  int connect(const CallAddress& to) const;
  int bind(const CallAddress& at) const;
  int send(std::span<const std::uint8_t> datagram, const CallAddress& to) const;

 private:
  GrantedSocket(base::UniqueFd fd, Transport transport)
      : fd_{std::move(fd)}, transport_{transport} {}

  base::UniqueFd fd_;
  Transport transport_;
};

}  // namespace transcoder::access
