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

/// One viewer's way from one channel to another: every picture once and in order. A sound may come
/// from both: the viewer, who knows what he was given, takes it once. Pure; fed with what both
/// channels offer. K is the first keyframe of the new channel at or after `at` that the viewer is
/// not already past:
///
///   old  ──● ● ● ● ●(held until K is known)        new  ─ ─○ ○ K ● ● ● (staged until old is done)
///   given:  ● ● ● │ K ● ● ●                          the cut is at K
///
/// The old channel is done when it has delivered the picture before K or any from K on, when it is
/// closed, or when kPatience has passed since K: its encoder is stuck. Who seated the viewer in the
/// new channel counts on his going there: K is waited for however late it is.
class ChannelSwitch {
 public:
  /// How long a late channel is waited for: encoders of one stream differ by a few pictures, and
  /// longer a picture held back is a freeze that is noticed.
  static constexpr base::Duration kPatience = std::chrono::milliseconds{300};
  /// How long pictures are held for a channel that gives none: an encoder starts in less. After
  /// that each goes at once, until the channel has a picture.
  static constexpr base::Duration kMaxSilence = std::chrono::seconds{3};
  /// Packets staged: GroupChannel::kMaxCached and then kPatience of it, 32. When full the oldest
  /// sound goes, or, with K there, the old channel is waited for no longer.
  static constexpr std::size_t kMaxStaged = 512;

  /// `given`: the newest picture that the viewer has been given.
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
  /// Sounds that have gone, and that the old channel has not given, since the last call.
  std::uint64_t take_sounds_dropped() { return std::exchange(sounds_dropped_, 0); }

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
  std::optional<std::uint64_t> given_;  ///< newest picture
  bool old_closed_ = false;
  std::optional<std::uint64_t> key_;  ///< number of K
  base::Time key_time_{};
  base::Time new_time_;                    ///< of the new channel's newest picture, or the start
  std::optional<std::uint64_t> new_seen_;  ///< newest picture of the new channel before K
  std::deque<Held> held_;                  ///< pictures of the old channel from `at_` on
  std::deque<QueuedPacket> staged_;        ///< from the new channel: sounds, and pictures from K on
  std::vector<QueuedPacket> out_;
  std::optional<std::uint64_t> given_sound_;  ///< newest sound of the old channel
  std::uint64_t sounds_dropped_ = 0;
};

}  // namespace server
