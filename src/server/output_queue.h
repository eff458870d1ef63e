#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/ring.h"

namespace server {

/// Immutable bytes and the object that keeps them alive.
struct SharedBytes {
  std::shared_ptr<const void> owner;  ///< null if the bytes live as long as the program
  std::span<const std::uint8_t> bytes;

  static SharedBytes of(std::string text);
  static SharedBytes permanent(std::string_view text);  ///< lives as long as the program
  std::string_view text() const;
};

/// The bytes a connection has yet to send, in order. Copies no bytes; no I/O. It needs no bound of
/// its own, because OutgoingResponse fills it only when it is empty.
class OutputQueue {
 public:
  /// Pieces per write, well below IOV_MAX (1024). More would only need a larger array on the stack.
  static constexpr std::size_t kMaxWritePieces = 64;
  using Pieces = std::array<iovec, kMaxWritePieces>;

  void push(SharedBytes bytes);
  bool empty() const { return queue_.empty(); }
  /// The first pieces, at most `most` bytes, for one write. Stored in `memory`.
  std::span<iovec> pieces(Pieces& memory, std::size_t most) const;
  /// Removes the first `bytes`. REQUIRES: no more than pieces() returned.
  void advance(std::size_t bytes);

 private:
  base::Ring<SharedBytes> queue_;  ///< none is empty
};

}  // namespace server
