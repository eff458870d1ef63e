#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "media/container.h"
#include "server/viewer_queue.h"

namespace server {

/// What of one viewer's stream is his alone: all else are the packets' own bytes, which he shares.
/// So a change of group, or frames that are missing, cost a few bytes and no copy. Owned by the
/// viewer's response, used on its loop thread.
class Packager {
 public:
  struct Own {
    std::vector<std::uint8_t> bytes;  ///< go first
    std::size_t skipped = 0;          ///< bytes of the packet in whose place they are
  };

  virtual ~Packager() = default;
  /// Of the next packet of the response. REQUIRES: the first one is a keyframe, and has headers
  /// unless this is MPEG-TS.
  virtual Own next(const QueuedPacket& item) = 0;
  /// What players skip, at most `bytes`; it lives as long as the program.
  virtual std::span<const std::uint8_t> padding(std::size_t bytes) const = 0;
};

std::unique_ptr<Packager> make_packager(media::Container container);

}  // namespace server
