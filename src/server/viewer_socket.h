#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>

#include "base/unique_fd.h"
#include "base/units.h"
#include "server/handler.h"

namespace server {

/// One accepted TCP connection. Non-blocking; used on its loop thread. All that the server does to
/// it is here; a ViewerObserver may read what the kernel knows of it, and steer it.
class ViewerSocket {
 public:
  struct Sent {
    std::size_t bytes = 0;
    bool full = false;  ///< the kernel took less than offered: wait until writable
    int error = 0;      ///< errno of a connection that is gone
  };
  struct Received {
    std::size_t bytes = 0;
    bool none = false;    ///< nothing has come: wait until readable
    bool closed = false;  ///< by the peer, or broken
  };

  explicit ViewerSocket(base::UniqueFd fd);

  /// `marked`: what this write ends with is to be reported when it is acknowledged (see
  /// TxTimestampRequest), and nothing is to join it in the kernel's buffer, where the mark would be
  /// lost.
  Sent send(std::span<iovec> pieces, bool marked = false);
  Received receive(std::span<char> buffer);
  std::size_t unacknowledged() const;  ///< bytes taken by the kernel and not acknowledged

  /// The kernel gives up a peer that it has heard nothing of for so long (TCP_USER_TIMEOUT,
  /// tcp(7)), however often it has sent again.
  void give_up_after(base::Duration silence);
  void end_output();      ///< what has been sent arrives, then an end of file
  void reset_on_close();  ///< close() will free what the kernel holds for the peer
  void close() { fd_.reset(); }
  int fd() const { return fd_.get(); }

 private:
  base::UniqueFd fd_;
};

}  // namespace server
