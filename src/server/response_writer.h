#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "media/container.h"
#include "server/packager.h"
#include "server/viewer_queue.h"

namespace server {

/// Packets → the bytes of one HTTP response, without I/O: one chunk per batch, a batch being what
/// one write should carry. Packets' bytes are never copied; a batch once begun is always completed.
class ResponseWriter {
 public:
  enum class Framing { kChunked, kUntilClose };

  /// A frame and the audio frames before it; more go with the next batch.
  static constexpr std::size_t kMaxPackets = 16;
  static constexpr std::size_t kMaxPieces = 2 * kMaxPackets + 3;  ///< own, framing, padding
  using Pieces = std::array<iovec, kMaxPieces>;

  /// `head` goes before the first batch; `offset` bytes went before it on the connection.
  ResponseWriter(Framing framing, std::string head, std::uint64_t offset,
                 media::Container container = media::Container::kMpegTs);

  media::Container container() const { return container_; }

  /// REQUIRES: room(), and a packet with bytes. Adds to the batch that has not begun.
  void add(QueuedPacket item);
  /// REQUIRES: a packet was added. The batch ends with what players skip, at most `bytes` of it.
  void pad(std::size_t bytes) { padding_ = packager_->padding(bytes); }
  /// Frames what was added; call once before pieces().
  void seal();
  /// REQUIRES: a batch that has not begun, of more than `head` bytes. They go in a write of their
  /// own, unless the kernel takes only some of them; 0: they do not.
  void split(std::size_t head) { head_ = head; }
  /// The final chunk follows what has been sealed.
  void finish();

  std::size_t padding() const { return padding_.size(); }  ///< bytes of the batch
  bool idle() const { return sent_ == size_; }             ///< nothing is unsent
  bool between() const { return parts_.empty(); }          ///< no batch has begun: one may be added
  bool room() const { return parts_.size() < kMaxPackets; }
  std::uint64_t offset() const { return offset_; }
  std::size_t unsent() const { return size_ - sent_; }  ///< bytes, framing included

  /// Of the batch's begin and end, and of its head's end: offsets as offset(). The head's is 0 when
  /// there is none, or when it and the rest did not follow each other at once.
  std::uint64_t batch_begin() const { return offset_ - sent_; }
  std::uint64_t batch_end() const { return offset_ + unsent(); }
  std::uint64_t head_end() const { return head_ > 0 ? batch_begin() + head_ : 0; }

  /// What is left of the batch, or of its head, in order.
  std::span<iovec> pieces(Pieces& memory) const;

  /// `count` bytes have been taken. Calls fn(packet, offset of its last byte + 1) for each packet
  /// now wholly taken.
  template <typename Fn>
  void advance(std::size_t count, Fn fn) {
    sent_ += count;
    offset_ += count;
    if ((count == 0 || sent_ != head_) && !idle()) head_ = 0;
    while (done_ < parts_.size() && parts_[done_].end <= sent_) {
      fn(*parts_[done_].packet, offset_ - (sent_ - parts_[done_].end));
      parts_[done_++].packet.reset();
    }
    if (idle()) reset();
  }

 private:
  struct Part {
    media::PacketPtr packet;
    Packager::Own own;
    std::size_t end = 0;  ///< of the packet, from the batch's first byte
  };

  std::span<const std::uint8_t> shared_bytes(const Part& part) const;
  void reset();

  const Framing framing_;
  const media::Container container_;
  std::unique_ptr<Packager> packager_;
  std::string prefix_;       ///< response head, chunk header
  std::vector<Part> parts_;  ///< keeps its capacity: no allocation per batch
  std::span<const std::uint8_t> padding_;
  std::string_view suffix_;
  std::size_t done_ = 0;  ///< parts wholly sent
  std::size_t sent_ = 0;  ///< bytes of the batch
  std::size_t size_ = 0;  ///< bytes of the batch
  std::size_t head_ = 0;  ///< bytes that go first; 0: all together
  std::uint64_t offset_ = 0;
};

}  // namespace server
