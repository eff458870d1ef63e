#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/prefetch.h"
#include "base/ring.h"
#include "base/units.h"
#include "media/packet.h"

namespace server {

/// A packet on its way to a viewer. A value; copies share the packet.
struct QueuedPacket {
  media::PacketPtr packet;
  bool splice = false;  ///< packets before it are missing, or from another group

  bool is_video() const { return packet->kind == media::Packet::Kind::kVideo; }
  bool is_keyframe() const { return is_video() && packet->keyframe; }
};

/// The packets one viewer has yet to be sent, bounded by the media time of its frames. Audio does
/// not count, because it comes in bursts when silence is filled in. When the queue is full, it
/// drops everything before the newest keyframe. If that is not enough, it drops everything, until a
/// keyframe or a frame that recovers from the dropped ones arrives. discard_frames() drops frames
/// only, and keeps their audio. Owned by a viewer, used on its loop thread.
class ViewerQueue {
 public:
  struct State {
    base::ByteCount bytes;
    std::uint64_t frames_dropped = 0;
    std::uint64_t audio_frames_dropped = 0;
    std::uint64_t gops_dropped = 0;
    std::uint64_t discards = 0;
    /// Dropped frames, if any. Later frames are rejected until a keyframe or a frame that recovers
    /// from them arrives.
    std::optional<media::FrameRange> missing;
  };

  explicit ViewerQueue(base::Duration bound, media::Container container = media::Container::kMpegTs)
      : bound_{bound}, container_{container} {}

  void push(QueuedPacket item);
  QueuedPacket pop();  ///< REQUIRES: not empty
  void clear();

  /// Drops all frames, and those that arrive before a keyframe or a frame that recovers from them.
  /// Returns the missing frames, or nullopt if the queue held no frame.
  std::optional<media::FrameRange> discard_frames();

  /// Drops frames from the next one on, until a keyframe or a frame that recovers from them
  /// arrives.
  void pause() { paused_ = true; }

  /// Raises the bound by `late` until the queue is empty, for a joining viewer that starts with a
  /// keyframe of that age.
  void grant(base::Duration late) { granted_ = late; }

  /// See ChannelMember::prefetch().
  void prefetch() const { base::prefetch(items_.next_slot(), kUsualSlots * sizeof(QueuedPacket)); }

  bool empty() const { return items_.empty(); }
  bool has_frame() const { return frames_ > 0; }
  std::size_t frames() const { return frames_; }
  std::size_t packets() const { return items_.size(); }
  base::Duration media() const;  ///< between the oldest and the newest frame
  const State& state() const { return state_; }

 private:
  // A frame and the audio frames before it.
  static constexpr std::size_t kUsualSlots = 3;
  // Bounds the queue if timestamps stand still or no frame comes. The longest bound that can be
  // configured, 30 s, is 3210 packets at 60 frames and 47 audio frames per second.
  static constexpr std::size_t kMaxQueuedPackets = 4096;

  bool is_over_bound() const {
    return media() > bound_ + granted_ || items_.size() > kMaxQueuedPackets;
  }
  void append(QueuedPacket item);
  QueuedPacket take_front();
  bool accepts(const QueuedPacket& item) const;
  void drop_to_keyframe();
  void drop(std::size_t count);
  void count_dropped(const QueuedPacket& item);
  void miss_all_after_popped();
  std::size_t newest_keyframe() const;

  base::ByteCount size(const QueuedPacket& item) const;

  const base::Duration bound_;
  const media::Container container_;
  base::Duration granted_{};
  base::Ring<QueuedPacket> items_;
  std::size_t frames_ = 0;
  std::optional<std::uint64_t> popped_;  ///< number of the newest frame that pop() returned
  bool paused_ = false;
  bool drops_audio_ = false;      ///< until the next frame: everything was dropped
  std::array<bool, 2> splice_{};  ///< whether the next packet follows a gap, by Packet::Kind
  State state_;
};

}  // namespace server
