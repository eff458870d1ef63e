#pragma once

#include <string_view>

#include "base/unique_fd.h"

namespace tcpinfo {

/// Two ends of one TCP connection over loopback; what its receiver is sent can be lost.
class Loopback {
 public:
  Loopback();

  int sender() const { return sender_.get(); }
  int receiver() const { return receiver_.get(); }

  /// One segment, if the window allows.
  void send(std::string_view text);
  /// The kernel drops what comes to the receiver and begins with `first`, retransmissions too.
  void lose(char first);
  void lose_nothing();

  void close_sender() { sender_.reset(); }
  /// By a reset instead of an orderly end.
  void reset_by_receiver();

 private:
  base::UniqueFd listener_;  ///< stays: who listens for the end of sockets hears of its port's too
  base::UniqueFd sender_;
  base::UniqueFd receiver_;
};

}  // namespace tcpinfo
