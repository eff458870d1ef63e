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

/// One viewer's way from one channel to another: every frame once and in order. An audio frame may
/// come from both: the viewer, who knows what he was given, takes it once. Pure; fed with what both
/// channels offer. K is the first keyframe of the new channel at or after `at` that the viewer is
/// not already past:
///
///   old  ──● ● ● ● ●(held until K is known)        new  ─ ─○ ○ K ● ● ● (staged until old is done)
///   given:  ● ● ● │ K ● ● ●                          the cut is at K
///
/// The old channel is done when it has delivered the frame before K or any from K on, when it is
/// closed, or when kPatience has passed since K: its encoder is stuck. Who seated the viewer in the
/// new channel counts on his going there: K is waited for however late it is.
class ChannelSwitch {
 public:
  /// How long a late channel is waited for: encoders of one stream differ by a few frames, and
  /// longer a frame held back is a freeze that is noticed.
  static constexpr base::Duration kPatience = std::chrono::milliseconds{300};
  /// How long frames are held for a channel that gives none: an encoder starts in less. After
  /// that each goes at once, until the channel has a frame.
  static constexpr base::Duration kMaxSilence = std::chrono::seconds{3};
  /// Packets staged: GroupChannel::kMaxCached and then kPatience of it, 32. When full the oldest
  /// audio goes, or, with K there, the old channel is waited for no longer.
  static constexpr std::size_t kMaxStaged = 512;

  /// `given`: the newest frame that the viewer has been given.
  ChannelSwitch(media::Pts at, std::optional<std::uint64_t> given, base::Time now)
      : at_{at}, given_{given}, new_time_{now} {}

  /// Each returns true when the switch is over; then call take_old() and take_new().
  bool from_old(QueuedPacket item, base::Time now);
  bool from_new(QueuedPacket item, base::Time now);
  bool old_closed();
  bool on_time(base::Time now);  ///< call now and then, and before each of the others

  /// Ends it: everything of the old channel that has not been taken.
  std::vector<QueuedPacket> give_up();

  /// What the viewer is to be given from the old channel.
  std::vector<QueuedPacket> take_old() { return std::exchange(out_, {}); }
  /// What the viewer is to be given after it, from the new channel.
  std::deque<QueuedPacket> take_new() { return std::exchange(staged_, {}); }
  /// Audio frames that have gone, and that the old channel has not given, since the last call.
  std::uint64_t take_audio_frames_dropped() { return std::exchange(audio_frames_dropped_, 0); }

 private:
  struct Held {
    QueuedPacket item;
    base::Time since;
  };

  bool starts_here(const QueuedPacket& item) const;
  bool is_silent(base::Time now) const { return now - new_time_ >= kMaxSilence; }
  bool holds(const QueuedPacket& item, base::Time now) const;
  bool found_keyframe(QueuedPacket item, base::Time now);
  void give(QueuedPacket item);
  void give_held_through(std::uint64_t number);
  void give_held_before(base::Time since);
  void stage(QueuedPacket item);

  const media::Pts at_;
  std::optional<std::uint64_t> given_;  ///< newest frame
  bool old_closed_ = false;
  std::optional<std::uint64_t> key_;  ///< number of K
  base::Time key_time_{};
  base::Time new_time_;                    ///< of the new channel's newest frame, or the start
  std::optional<std::uint64_t> new_seen_;  ///< newest frame of the new channel before K
  std::deque<Held> held_;                  ///< frames of the old channel from `at_` on
  std::deque<QueuedPacket> staged_;  ///< from the new channel: audio frames, and frames from K on
  std::vector<QueuedPacket> out_;
  std::optional<std::uint64_t> given_audio_;  ///< newest audio of the old channel
  std::uint64_t audio_frames_dropped_ = 0;
};

}  // namespace server
