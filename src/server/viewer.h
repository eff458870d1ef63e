#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/units.h"
#include "media/packet.h"
#include "server/channel_switch.h"
#include "server/group_channel.h"
#include "server/handler.h"
#include "server/response_writer.h"
#include "server/sent_frames.h"
#include "server/viewer_queue.h"

namespace server {

/// One viewer's stream, without I/O: what comes from its channels goes through the queue into the
/// response. Used on its loop thread.
///
///   Joining ──(first keyframe)──► Playing ──(finish)──► Draining     the writer says when it is
///   over
class Viewer final : public ViewerActs {
 public:
  enum class Phase { kJoining, kPlaying, kDraining };
  enum class Source { kCurrent, kNext };  ///< the channel it is on, the one it is changing to

  Viewer(ViewerState state, base::Duration queue_bound, ResponseWriter writer);

  /// The first packets, or none: then it begins with the next keyframe of its channel.
  void begin(const GroupChannel::Gop& gop);

  void offer(Source source, const QueuedPacket& item, base::Time now);

  /// From now on offers from kNext count, until switched() or cancel_switch().
  void begin_switch(media::Pts at, base::Time now);
  void cancel_switch();
  void old_channel_closed();
  void check_time(base::Time now);
  bool switching() const { return switch_ != nullptr; }
  /// True once after each switch: the next channel is the current one now.
  bool switched() { return std::exchange(switched_, false); }

  /// Makes the next batch when the last one is out. Audio frames alone are only sent when
  /// `audio_due`, or while frames are missing. False when there is nothing to send.
  bool prepare(bool audio_due);
  const ResponseWriter& writer() const { return writer_; }
  /// A batch with a frame has been made and nobody has said what to mark of it.
  bool mark_due() const { return mark_due_; }
  void mark(TxTimestampRequest marks);
  bool marked() const { return marks_.end; }
  void taken(std::size_t bytes, base::Time now);

  std::optional<media::FrameRange> discard_unsent() override;
  void pause() override { queue_.pause(); }
  void pad(base::ByteCount amount) override { padding_ = amount; }

  /// Drops what has not begun to be sent and ends the response.
  void finish();

  Phase phase() const { return phase_; }
  bool has_unsent() const { return !writer_.idle() || queue_.has_frame(); }
  ViewerState& state() { return state_; }
  SentFrames& sent() { return sent_; }

 private:
  void pad_batch();
  void deliver(QueuedPacket item);
  bool is_new(const media::Packet& packet);
  void apply(bool switched);
  void update_state();
  void on_sent(const media::Packet& packet, std::uint64_t end_offset, base::Time now);

  ViewerState state_;
  Phase phase_ = Phase::kJoining;
  ViewerQueue queue_;
  ResponseWriter writer_;
  SentFrames sent_;
  TxTimestampRequest marks_;  ///< of the batch
  bool mark_due_ = false;
  base::ByteCount padding_;                            ///< for the next frame
  std::array<std::optional<std::uint64_t>, 2> given_;  ///< by Packet::Kind: the newest
  std::array<bool, 2> splice_{};  ///< by Packet::Kind: the next one follows a gap
  std::unique_ptr<ChannelSwitch> switch_;
  std::uint64_t audio_frames_dropped_ = 0;  ///< in changes of channel
  bool switched_ = false;
};

}  // namespace server
