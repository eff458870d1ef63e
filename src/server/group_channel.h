#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "base/units.h"
#include "media/packet.h"
#include "server/viewer_queue.h"

namespace server {

class GroupChannel;

/// Receives the packets of a channel. Implemented by ViewerSession. Must outlive its membership.
class ChannelMember {
 public:
  virtual ~ChannelMember() = default;
  virtual void on_packet(GroupChannel& channel, const QueuedPacket& item, base::Time now) = 0;
  /// Audio frames have waited long enough for the next frame, and should be sent alone.
  virtual void on_audio_due(base::Time now) = 0;
  virtual void on_channel_closed(GroupChannel& channel, base::Time now) = 0;
};

/// One encode group's packets on one loop. Passes each packet to every member, and keeps the newest
/// packets for viewers that join or change group. Shares packets, never copies. Used on its loop
/// thread.
class GroupChannel {
 public:
  /// A joining viewer does not start with a keyframe older than this. The group, which forces at
  /// most one keyframe per second, can make a new one instead.
  static constexpr base::Duration kMaxGopAge = std::chrono::seconds{1};
  /// Audio kept from before the keyframe: how far apart the groups of a stream may be.
  static constexpr base::Duration kCachedAudio = std::chrono::milliseconds{500};
  /// Audio frames wait for the next frame's write. After this time they are sent alone, at the next
  /// flush_audio(), which is in less than twice this time. At 25 frames per second a frame comes
  /// every 40 ms, with two audio frames.
  static constexpr base::Duration kMaxAudioWait = std::chrono::milliseconds{50};
  /// Once this many audio frames wait, they are sent at once.
  static constexpr std::size_t kMaxWaitingAudioFrames = 4;
  /// 1 s at 300 packets per second, nearly three times 60 frames and 47 audio frames.
  static constexpr std::size_t kMaxCachedPackets = 300;

  struct Gop {
    std::vector<QueuedPacket> packets;  ///< from the keyframe on; empty if there is none to use
    base::Duration age{};               ///< of the keyframe
  };

  explicit GroupChannel(media::ChannelId id) : id_{id} {}

  media::ChannelId id() const { return id_; }
  void add(ChannelMember& member) { members_.push_back(&member); }
  void remove(ChannelMember& member);

  void publish(const QueuedPacket& item, base::Time now);
  void flush_audio(base::Time now);  ///< call every kMaxAudioWait
  void close(base::Time now);

  /// The packets that a joining viewer starts with. Empty if the keyframe is older than `max_age`.
  Gop gop(base::Time now, base::Duration max_age) const;
  /// All cached packets, for a viewer that changes to this channel.
  std::vector<QueuedPacket> recent() const { return {cache_.begin(), cache_.end()}; }

 private:
  template <typename Fn>
  void for_each_member(Fn fn);
  void keep(const QueuedPacket& item, base::Time now);
  void forget_frames();
  void count_audio(base::Time now);

  const media::ChannelId id_;
  std::vector<ChannelMember*> members_;  ///< null if removed during for_each_member()
  bool calling_ = false;
  std::deque<QueuedPacket> cache_;
  std::optional<base::Time> keyframe_time_;  ///< when the cached keyframe came, if there is one
  std::size_t audio_waiting_ = 0;            ///< audio frames since the last frame
  base::Time audio_since_{};                 ///< when the first of them came
};

}  // namespace server
