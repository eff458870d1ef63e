#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>

namespace server {

/// Bytes that stay as they are, and whose they are.
struct SharedBytes {
  std::shared_ptr<const void> owner;
  std::span<const std::uint8_t> bytes;

  static SharedBytes of(std::string text);
};

/// What a connection has still to send, in order; nothing is copied. Without I/O. Who fills it
/// waits until it is empty, which bounds it.
class OutputQueue {
 public:
  static constexpr std::size_t kMaxPieces = 64;  ///< of one write
  using Pieces = std::array<iovec, kMaxPieces>;

  void push(SharedBytes bytes);
  bool empty() const { return queue_.empty(); }
  /// The first of what is here, for one write; `memory` holds them.
  std::span<iovec> pieces(Pieces& memory) const;
  void advance(std::size_t bytes);  ///< REQUIRES: no more than pieces() held

 private:
  std::deque<SharedBytes> queue_;  ///< none is empty
};

}  // namespace server
