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

/// Who receives what a channel publishes; implemented by ViewerSession. Outlives its membership.
class ChannelMember {
 public:
  virtual ~ChannelMember() = default;
  virtual void on_packet(GroupChannel& channel, const QueuedPacket& item, base::Time now) = 0;
  /// Audio frames have waited long enough for a frame.
  virtual void on_audio_due(base::Time now) = 0;
  virtual void on_channel_closed(GroupChannel& channel, base::Time now) = 0;
};

/// One encode group's packets on one loop: passes each to every member, and keeps the newest for
/// joiners and for those who change group. Shares packets, never copies. Used on its loop thread.
class GroupChannel {
 public:
  /// Older than this, the cached keyframe is no use to a joiner: the group, which forces at most
  /// one keyframe per second, can make him a fresh one.
  static constexpr base::Duration kGopAge = std::chrono::seconds{1};
  /// Audio frames kept from before the keyframe: how far the groups of a stream may be apart.
  static constexpr base::Duration kAudioAge = std::chrono::milliseconds{500};
  /// Audio frames that have waited so long for a frame's write go alone, at the next flush_audio():
  /// in less than twice this; or so many, at once. A frame at 25 per second comes every 40 ms, with
  /// two audio frames.
  static constexpr base::Duration kAudioPatience = std::chrono::milliseconds{50};
  static constexpr std::size_t kMaxAudioWaiting = 4;
  /// 1 s at 300 packets per second, nearly three times 60 frames and 47 audio frames.
  static constexpr std::size_t kMaxCached = 300;

  struct Gop {
    std::vector<QueuedPacket> packets;  ///< from the keyframe on; empty: wait for the next one
    base::Duration age{};
  };

  explicit GroupChannel(media::ChannelId id) : id_{id} {}

  media::ChannelId id() const { return id_; }
  void add(ChannelMember& member) { members_.push_back(&member); }
  void remove(ChannelMember& member);

  void publish(const QueuedPacket& item, base::Time now);
  void flush_audio(base::Time now);  ///< call every kAudioPatience
  void close(base::Time now);

  /// What a joiner begins with, no older than `most`.
  Gop gop(base::Time now, base::Duration most) const;
  /// All that is kept, for one who changes to this channel.
  std::vector<QueuedPacket> recent() const { return {cache_.begin(), cache_.end()}; }

 private:
  template <typename Fn>
  void for_each_member(Fn fn);
  void keep(const QueuedPacket& item, base::Time now);
  void forget_frames();
  void count_audio(base::Time now);

  const media::ChannelId id_;
  std::vector<ChannelMember*> members_;  ///< null: removed during a call
  bool calling_ = false;
  std::deque<QueuedPacket> cache_;
  std::optional<base::Time> keyframe_time_;  ///< when the cached keyframe came; empty: none
  std::size_t audio_waiting_ = 0;            ///< since the last frame
  base::Time audio_since_{};
};

}  // namespace server
