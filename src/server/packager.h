#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "media/container.h"
#include "server/viewer_queue.h"

namespace server {

/// Makes the few bytes that differ per viewer (headers, splices, gap fillers); all other bytes are
/// shared packets. A change of group or missing frames therefore cost a few bytes and no copy.
/// Owned by the viewer's response, used on its loop thread.
class Packager {
 public:
  /// Bytes to send before a packet.
  struct Insert {
    std::vector<std::uint8_t> bytes;
    std::size_t replaced = 0;  ///< leading bytes of the packet that are not sent
  };

  /// Room for a frame and the audio frames before it. More audio goes into the next batch.
  static constexpr std::size_t kMaxBatchPackets = 16;
  /// A packet of a batch, which is sent as a whole (ResponseWriter).
  struct Part {
    media::PacketPtr packet;
    Insert insert;
    std::size_t end = 0;  ///< of the packet, counted from the batch's first byte
  };

  virtual ~Packager() = default;
  /// The bytes to insert before the response's next packet. REQUIRES: the first packet is a
  /// keyframe, and has headers unless the container is MPEG-TS.
  virtual Insert next(const QueuedPacket& item) = 0;
  /// No more packets follow in this batch, of kMaxBatchPackets at most. May change the inserts.
  virtual void complete(std::span<Part> /*batch*/) {}
  /// Padding that players skip, at most `bytes`. It lives as long as the program.
  virtual std::span<const std::uint8_t> padding(std::size_t bytes) const = 0;
};

std::unique_ptr<Packager> make_packager(media::Container container);

}  // namespace server
