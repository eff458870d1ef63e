#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "media/packet.h"

namespace server {

/// A packet on its way to a viewer.
struct QueuedPacket {
  media::PacketPtr packet;
  bool splice = false;  ///< does not continue the packet before it

  bool is_video() const { return packet->kind == media::Packet::Kind::kVideo; }
  bool is_keyframe() const { return is_video() && packet->keyframe; }
};

/// What one viewer has yet to be sent, bounded in media time of its frames: audio comes in bursts
/// when silence is made up, and goes where the frames go. When it is full everything before the
/// newest keyframe goes; if there is none to go to, everything, until a frame comes that
/// recovers from them or is a keyframe. Frames that are discarded before that leave their audio.
/// Owned by a viewer, used on its loop thread; grows to its bound and allocates no more.
class ViewerQueue {
 public:
  struct State {
    base::ByteCount bytes;
    std::uint64_t frames_dropped = 0;
    std::uint64_t audio_frames_dropped = 0;
    std::uint64_t gops_dropped = 0;
    std::uint64_t discards = 0;
    /// Frames that were dropped, and those after them: no other is taken before one that
    /// recovers from them or a keyframe. Empty: none is missing.
    std::optional<media::FrameRange> missing;
  };

  explicit ViewerQueue(base::Duration bound, media::Container container = media::Container::kMpegTs)
      : bound_{bound}, container_{container} {}

  void push(QueuedPacket item);
  QueuedPacket pop();  ///< REQUIRES: not empty
  void clear();

  /// All frames go, and those that come, before one that recovers from them or a keyframe. Empty:
  /// there were none.
  std::optional<media::FrameRange> discard_frames();

  /// From the next frame on they are missing, unless that is a keyframe.
  void pause() { paused_ = true; }

  /// A joiner who begins `late` behind may stay so until the queue has been empty once.
  void grant(base::Duration late) { granted_ = late; }

  bool empty() const { return size_ == 0; }
  bool has_frame() const { return frames_ > 0; }
  base::Duration media() const;  ///< between the oldest and the newest frame
  const State& state() const { return state_; }

 private:
  // 30 s, the longest that can be configured, of 47 audio frames and 60 frames per second are 3210;
  // this holds where timestamps stand still, or no frame comes at all.
  static constexpr std::size_t kMaxPackets = 4096;

  bool over() const { return media() > bound_ + granted_ || size_ > kMaxPackets; }
  QueuedPacket& at(std::size_t i) { return slots_[(head_ + i) & (slots_.size() - 1)]; }
  const QueuedPacket& at(std::size_t i) const { return slots_[(head_ + i) & (slots_.size() - 1)]; }
  void append(QueuedPacket item);
  void grow();
  QueuedPacket take_front();
  bool continues(const QueuedPacket& item) const;
  void drop_to_keyframe();
  void drop(std::size_t count);
  void lose(const QueuedPacket& item);
  std::size_t newest_keyframe() const;

  base::ByteCount size(const QueuedPacket& item) const;

  const base::Duration bound_;
  const media::Container container_;
  base::Duration granted_{};
  std::vector<QueuedPacket> slots_;  ///< ring; its size is zero or a power of two
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  std::size_t frames_ = 0;
  bool paused_ = false;
  bool silent_ = false;           ///< audio waits for the next frame, after a drop
  std::array<bool, 2> splice_{};  ///< by Packet::Kind: the next one popped follows a gap
  State state_;
};

}  // namespace server
