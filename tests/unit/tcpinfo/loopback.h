#pragma once

#include <string_view>

#include "base/unique_fd.h"

namespace tcpinfo {

/// Both ends of a TCP connection over loopback, on which segments to the receiver can be lost.
class Loopback {
 public:
  Loopback();

  int sender() const { return sender_.get(); }
  int receiver() const { return receiver_.get(); }

  /// Sends `text` in one segment if the window allows.
  void send(std::string_view text);
  /// Drops segments to the receiver that begin with `first`, retransmissions included.
  void lose(char first);
  void lose_nothing();

  void close_sender() { sender_.reset(); }
  /// Ends the connection by a reset.
  void reset_by_receiver();

 private:
  base::UniqueFd listener_;  ///< stays open: its end would be reported by DestroyedSockets too
  base::UniqueFd sender_;
  base::UniqueFd receiver_;
};

}  // namespace tcpinfo
