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

#include "base/prefetch.h"
#include "media/container.h"
#include "server/packager.h"
#include "server/viewer_queue.h"

namespace server {

/// Turns packets into the bytes of one HTTP response. Packets are sent in batches; a batch is meant
/// for one write, and is one HTTP chunk. Once its first byte is sent, a batch is always completed.
/// Never copies packets' bytes; no I/O. Used on its viewer's loop thread.
class ResponseWriter {
 public:
  enum class Framing { kChunked, kUntilClose };

  static constexpr std::size_t kMaxBatchPieces =
      2 * Packager::kMaxBatchPackets + 3;  ///< insert and packet, and prefix, padding, suffix
  using Pieces = std::array<iovec, kMaxBatchPieces>;

  /// `head`: the HTTP head, sent before the first batch. `offset`: bytes that earlier responses
  /// have sent on this connection.
  ResponseWriter(Framing framing, std::string head, std::uint64_t offset,
                 media::Container container = media::Container::kMpegTs);

  media::Container container() const { return container_; }

  /// Adds a packet to the next batch. REQUIRES: room(), a packet with bytes, and no byte of the
  /// batch has been sent.
  void add(QueuedPacket item);
  /// Pads the batch by at most `bytes` that players skip. REQUIRES: a packet was added.
  void pad(std::size_t bytes) { padding_ = packager_->padding(bytes); }
  /// Completes the batch. Call once before pieces().
  void seal();
  /// Sends the first `head` bytes of the batch in a write of their own, unless the kernel takes
  /// only some of them. 0 sends the batch in one write. REQUIRES: no byte of the batch has been
  /// sent, and it has more than `head` bytes.
  void split(std::size_t head) { head_ = head; }
  /// Appends the final chunk to the sealed batch.
  void finish();

  /// See ChannelMember::prefetch().
  void prefetch() const {
    base::prefetch(packager_.get());
    base::prefetch(parts_.data(), kUsualParts * sizeof(Part));
  }

  std::size_t padding() const { return padding_.size(); }  ///< bytes of the batch's padding
  bool idle() const { return sent_ == size_; }             ///< nothing is unsent
  bool between() const { return parts_.empty(); }          ///< there is no batch; one may be added
  bool room() const { return parts_.size() < Packager::kMaxBatchPackets; }
  std::uint64_t offset() const { return offset_; }      ///< bytes sent on the connection
  std::size_t unsent() const { return size_ - sent_; }  ///< bytes, framing included

  /// Offsets, as offset(), of the batch's begin and end and of its head's end. head_end() is 0 if
  /// there is no head, or if the rest was not sent immediately after it.
  std::uint64_t batch_begin() const { return offset_ - sent_; }
  std::uint64_t batch_end() const { return offset_ + unsent(); }
  std::uint64_t head_end() const { return head_ > 0 ? batch_begin() + head_ : 0; }

  /// The unsent bytes of the batch, or of its head, in order.
  std::span<iovec> pieces(Pieces& memory) const;

  /// The kernel has taken `count` bytes. Calls fn(packet, offset of its last byte + 1) for each
  /// packet of which this was the rest.
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
  using Part = Packager::Part;

  static constexpr std::size_t kUsualParts = 3;  ///< a frame and the audio frames before it

  std::span<const std::uint8_t> shared_bytes(const Part& part) const;
  void reset();

  const Framing framing_;
  const media::Container container_;
  std::unique_ptr<Packager> packager_;
  std::string prefix_;       ///< HTTP head, chunk header
  std::vector<Part> parts_;  ///< keeps its capacity, so that a batch allocates nothing
  std::span<const std::uint8_t> padding_;
  std::string_view suffix_;
  std::size_t done_ = 0;      ///< parts wholly sent
  std::size_t sent_ = 0;      ///< bytes of the batch that are sent
  std::size_t size_ = 0;      ///< bytes of the batch
  std::size_t head_ = 0;      ///< bytes sent in a write of their own; 0 for no head
  std::uint64_t offset_ = 0;  ///< bytes sent on the connection
};

}  // namespace server
