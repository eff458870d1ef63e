#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/units.h"
#include "media/packet.h"
#include "server/viewer_queue.h"

namespace server {

/// Moves one viewer from one channel to another so that every frame is delivered once and in order.
/// An audio frame may be delivered from both channels; the viewer discards the second copy. No I/O,
/// no clock. K is the first keyframe of the new channel at or after `at` that is newer than the
/// frames already delivered:
///
///   old  ──● ● ● ● ●(held until K is known)        new  ─ ─○ ○ K ● ● ● (staged until old is done)
///   delivered:  ● ● ● │ K ● ● ●                      the cut is at K
///
/// The old channel is done when it has delivered the frame before K or any later one, when it is
/// closed, or when kMaxOldChannelWait has passed since K because its encoder is stuck. The switch
/// waits for K however late it comes, because the ladder already counts the viewer in the new
/// channel's group.
class ChannelSwitch {
 public:
  /// How long to wait for the slower channel. Encoders of one stream differ by a few frames; a
  /// frame held back for longer is a visible freeze.
  static constexpr base::Duration kMaxOldChannelWait = std::chrono::milliseconds{300};
  /// How long to hold frames for a new channel that has published none. An encoder starts faster.
  /// After that, frames of the old channel pass at once until the new channel has one.
  static constexpr base::Duration kMaxNewChannelSilence = std::chrono::seconds{3};
  /// Room for GroupChannel::kMaxCachedPackets and the 32 packets of kMaxOldChannelWait. When full,
  /// the oldest audio frame is dropped, or, if K is staged, the switch ends without the old
  /// channel.
  static constexpr std::size_t kMaxStagedPackets = 512;

  /// `delivered`: number of the newest frame delivered to the viewer.
  ChannelSwitch(media::Pts at, std::optional<std::uint64_t> delivered, base::Time now)
      : at_{at}, delivered_{delivered}, new_time_{now} {}

  /// Each returns true when the switch is over; then call take_old() and take_new().
  bool from_old(QueuedPacket item, base::Time now);
  bool from_new(QueuedPacket item, base::Time now);
  bool old_closed();
  bool check_time(base::Time now);  ///< call regularly, and before the functions above

  /// Abandons the switch. Returns all packets of the old channel that are still held.
  std::vector<QueuedPacket> give_up();

  /// Packets of the old channel to deliver now.
  std::vector<QueuedPacket> take_old() { return std::exchange(out_, {}); }
  /// Packets of the new channel to deliver after those of the old one.
  std::deque<QueuedPacket> take_new() { return std::exchange(staged_, {}); }
  /// Staged audio frames dropped since the last call that the old channel has not delivered either.
  std::uint64_t take_audio_frames_dropped() { return std::exchange(audio_frames_dropped_, 0); }

 private:
  struct Held {
    QueuedPacket item;
    base::Time since;
  };

  bool starts_here(const QueuedPacket& item) const;
  bool new_channel_is_silent(base::Time now) const {
    return now - new_time_ >= kMaxNewChannelSilence;
  }
  bool holds(const QueuedPacket& item, base::Time now) const;
  bool found_keyframe(QueuedPacket item, base::Time now);
  void deliver(QueuedPacket item);
  void deliver_held_through(std::uint64_t number);
  void deliver_held_before(base::Time since);
  void stage(QueuedPacket item);

  const media::Pts at_;
  std::optional<std::uint64_t> delivered_;  ///< number of the newest frame delivered
  bool old_closed_ = false;
  std::optional<std::uint64_t> key_;  ///< number of K
  base::Time key_time_{};
  base::Time new_time_;  ///< when the new channel's newest frame came, or the switch began
  std::optional<std::uint64_t> new_seen_;  ///< newest frame of the new channel before K
  std::deque<Held> held_;                  ///< frames of the old channel from `at_` on
  std::deque<QueuedPacket> staged_;  ///< from the new channel: audio frames, and frames from K on
  std::vector<QueuedPacket> out_;
  std::optional<std::uint64_t> delivered_audio_;  ///< newest audio frame of the old channel
  std::uint64_t audio_frames_dropped_ = 0;
};

}  // namespace server
