#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace transcoder::wire {

/// One end of a pair of sockets that keeps the boundaries of messages (SOCK_SEQPACKET). A message
/// has 1 to kMaxMessage bytes. Trusts nothing that the other end sends. Any number of threads may
/// send, one at a time may receive.
class Channel {
 public:
  /// Whether messages may bring one descriptor each. kRefused keeps all out of this process.
  enum class Descriptors { kRefused, kAccepted };
  /// Whether a call waits if it cannot be done at once.
  enum class Wait { kNever, kForever };
  enum class Sent {
    kDone,
    kFull,    ///< the other end reads too slowly; only without waiting
    kClosed,  ///< by the other end, or it fails
  };

  struct Received {
    enum class Status {
      kMessage,
      kNothing,  ///< has arrived; only without waiting
      kClosed,   ///< by the other end, or it has sent an empty message
    };
    Status status = Status::kNothing;
    std::span<const std::uint8_t> message;  ///< valid until the next receive()
    base::UniqueFd descriptor;              ///< that came with it, if any
  };

  explicit Channel(base::UniqueFd fd, Descriptors descriptors = Descriptors::kRefused);

  int fd() const { return fd_.get(); }  ///< to poll

  /// Sends a message, and a copy of `descriptor` unless it is negative.
  Sent send(std::span<const std::uint8_t> message, Wait wait, int descriptor = -1) const;

  /// An error means that the other end breaks the protocol: the message is too long, or brings
  /// descriptors that it may not bring, which are closed.
  base::Result<Received> receive(Wait wait);

 private:
  base::UniqueFd fd_;
  Descriptors descriptors_;
  std::vector<std::uint8_t> buffer_;
};

/// Two connected sockets for the ends of a channel. Throws base::SystemError.
std::pair<base::UniqueFd, base::UniqueFd> channel_sockets();

}  // namespace transcoder::wire
