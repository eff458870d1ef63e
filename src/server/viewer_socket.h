#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>

#include "base/unique_fd.h"
#include "base/units.h"
#include "server/handler.h"

namespace server {

/// One accepted TCP connection. Non-blocking. Used on its loop thread. The server itself uses the
/// socket only through this class; a ViewerObserver may also read the kernel's statistics and set
/// socket options.
class ViewerSocket {
 public:
  struct Sent {
    std::size_t bytes = 0;
    bool full = false;  ///< the kernel took less than offered; wait until the socket is writable
    int error = 0;      ///< errno if the connection is broken
  };
  struct Received {
    std::size_t bytes = 0;
    bool none = false;    ///< nothing to read; wait until the socket is readable
    bool closed = false;  ///< by the peer, or because of an error
  };

  explicit ViewerSocket(base::UniqueFd fd);

  /// `marked`: the kernel reports when the end of this write is acknowledged (see
  /// TxTimestampRequest). Also keeps the kernel from appending later data to the same buffer, which
  /// would lose the mark.
  Sent send(std::span<iovec> pieces, bool marked = false);
  Received receive(std::span<char> buffer);
  bool broken() const;                 ///< reset by the peer, or given up by the kernel
  std::size_t unacknowledged() const;  ///< bytes taken by the kernel and not acknowledged

  /// While this much or more waits unsent in the kernel, the socket takes no more
  /// (TCP_NOTSENT_LOWAT, tcp(7)).
  void limit_unsent(base::ByteCount limit);
  /// The kernel closes the connection once data has been unacknowledged for `silence`, whatever it
  /// has retransmitted (TCP_USER_TIMEOUT, tcp(7)).
  void give_up_after(base::Duration silence);
  void end_output();      ///< sends an end of file after the data written so far
  void reset_on_close();  ///< makes close() discard unsent data and reset the connection
  void close() { fd_.reset(); }
  int fd() const { return fd_.get(); }

 private:
  base::UniqueFd fd_;
};

}  // namespace server
