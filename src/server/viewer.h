#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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

/// One viewer's stream: passes packets from its channels through the queue into the response. No
/// I/O, no clock. Used on its loop thread.
///
///   Joining ──(first keyframe)──► Playing ──(finish)──► Draining (until has_unsent() is false)
class Viewer final : public ViewerActs {
 public:
  enum class Phase { kJoining, kPlaying, kDraining };
  enum class Source { kCurrent, kNext };  ///< the viewer's channel, or the one it changes to

  Viewer(ViewerState state, base::Duration queue_bound, ResponseWriter writer);

  /// Starts with the packets of `gop`; if it is empty, with the next keyframe of the channel.
  void begin(const GroupChannel::Gop& gop);

  /// Passes packets of one of the channels.
  void offer(Source source, std::span<const QueuedPacket> items, base::Time now);

  /// Starts a change of channel: from now on pass packets of kNext as well, until switched() or
  /// cancel_switch().
  void begin_switch(media::Pts at, base::Time now);
  void cancel_switch();
  void old_channel_closed();
  void check_time(base::Time now);  ///< call regularly while switching()
  bool switching() const { return switch_ != nullptr; }
  /// Returns true once after each switch: kNext has become kCurrent.
  bool switched() { return std::exchange(switched_, false); }

  /// Audio frames of a write while the picture pauses, a tenth of a second. At 32 kbit/s five need
  /// three TS packets, four need three as well, and six need four.
  static constexpr std::size_t kAudioFramesPerWrite = 5;

  /// Makes the next batch once the last one is sent. Audio frames are sent without a frame only if
  /// `audio_due`, or several at a time while frames are missing. A batch has one frame, or all with
  /// `merge`. Returns whether there is anything to send.
  bool prepare(bool audio_due, bool merge = false);
  bool has_several_frames() const { return queue_.frames() > 1; }
  const ResponseWriter& writer() const { return writer_; }
  /// Whether a new batch has a frame and mark() has not been called for it.
  bool mark_due() const { return mark_due_; }
  void mark(TxTimestampRequest marks);
  bool marked() const { return marks_.end; }
  /// The kernel has taken `bytes` of the batch.
  void taken(std::size_t bytes, base::Time now);

  std::optional<media::FrameRange> discard_unsent() override;
  void pause() override { queue_.pause(); }
  void pad(base::ByteCount amount) override { padding_ = amount; }

  /// Drops all packets that are not in the present batch, and ends the response.
  void finish();

  /// See ChannelMember::prefetch().
  void prefetch() const {
    queue_.prefetch();
    writer_.prefetch();
    sent_.prefetch();
  }

  Phase phase() const { return phase_; }
  bool has_unsent() const { return !writer_.idle() || queue_.has_frame(); }
  ViewerState& state() { return state_; }
  SentFrames& sent() { return sent_; }

 private:
  void pad_batch();
  void offer(Source source, const QueuedPacket& item, base::Time now);
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
  std::size_t batch_frames_ = 0;  ///< of which the kernel has not taken the end
  base::ByteCount padding_;       ///< for the next frame
  std::array<std::optional<std::uint64_t>, 2> delivered_;  ///< newest number, by Packet::Kind
  std::array<bool, 2> splice_{};  ///< whether the next packet follows a gap, by Packet::Kind
  std::unique_ptr<ChannelSwitch> switch_;
  std::uint64_t audio_frames_dropped_ = 0;  ///< in changes of channel
  bool switched_ = false;
};

}  // namespace server
