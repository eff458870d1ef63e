#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "media/packet.h"
#include "server/viewer_queue.h"
#include "server/write_merging.h"

namespace server {

class GroupChannel;

/// Receives the packets of a channel. Implemented by ViewerSession. Must outlive its membership.
class ChannelMember {
 public:
  virtual ~ChannelMember() = default;
  /// The packets since the last call: audio frames and the frame after them, or audio frames that
  /// have waited long enough for it and should be sent alone. Returns whether the member may wait
  /// for the next frames, and get several in one call (WriteMerging).
  virtual bool on_packets(GroupChannel& channel, std::span<const QueuedPacket> items,
                          base::Time now) = 0;
  virtual void on_channel_closed(GroupChannel& channel, base::Time now) = 0;
  /// Asks the CPU for the memory that the next on_packets() will need, and does not wait for it.
  virtual void prefetch() const {}
};

/// One encode group's packets on one loop. Passes each frame and the audio frames before it to the
/// members: first to those that must not wait, then to the others, or under load to some of them,
/// which take turns. Keeps the newest packets for viewers that join or change group. Shares
/// packets, never copies. Used on its loop thread.
class GroupChannel {
 public:
  /// A joining viewer does not start with a keyframe older than this. The group, which forces at
  /// most one keyframe per second, can make a new one instead.
  static constexpr base::Duration kMaxGopAge = std::chrono::seconds{1};
  /// Audio kept from before the keyframe: how far apart the groups of a stream may be.
  static constexpr base::Duration kCachedAudio = std::chrono::milliseconds{500};
  /// Audio frames wait here for the next frame, so that each frame is one pass over the members and
  /// one write. After this time they are passed on alone, at the next check_time(), which is in
  /// less than twice this time. At 25 frames per second a frame comes every 40 ms, with two audio
  /// frames.
  static constexpr base::Duration kMaxAudioWait = std::chrono::milliseconds{50};
  /// Once this many audio frames wait, they are passed on at once.
  static constexpr std::size_t kMaxWaitingAudioFrames = 4;
  /// 1 s at 300 packets per second, nearly three times 60 frames and 47 audio frames.
  static constexpr std::size_t kMaxCachedPackets = 300;

  struct Gop {
    std::vector<QueuedPacket> packets;  ///< from the keyframe on; empty if there is none to use
    base::Duration age{};               ///< of the keyframe
  };

  /// `merging`: of the loop; must outlive the channel.
  GroupChannel(media::ChannelId id, WriteMerging& merging) : id_{id}, merging_{merging} {}

  media::ChannelId id() const { return id_; }
  void add(ChannelMember& member) { members_.push_back({&member, false, end_of_log(), passes_}); }
  void remove(ChannelMember& member);

  void publish(const QueuedPacket& item, base::Time now);
  void check_time(base::Time now);  ///< call every kMaxAudioWait
  void close(base::Time now);

  /// The packets that a joining viewer starts with; those that still wait come afterwards. Empty if
  /// the keyframe is older than `max_age`.
  Gop gop(base::Time now, base::Duration max_age) const;
  /// All cached packets, for a viewer that changes to this channel.
  std::vector<QueuedPacket> recent() const { return {cache_.begin(), cache_.end()}; }

 private:
  /// A member and where it is. Waiting members are checked only here, so that their own state,
  /// which a frame would have to fetch from memory, is not touched.
  struct Place {
    ChannelMember* member;  ///< null if removed during a pass
    bool may_wait;
    std::uint64_t next;    ///< number in the log of the first packet that it has not got
    std::uint64_t called;  ///< the last pass in which it was called
  };

  template <typename Wanted>
  void pass_to(Wanted wanted, base::Time now);
  void prefetch_after(std::size_t i) const;
  void pass_on(base::Time now);
  void forget_passed();
  void keep(const QueuedPacket& item, base::Time now);
  void forget_frames();
  std::uint64_t end_of_log() const { return log_begin_ + log_.size(); }

  const media::ChannelId id_;
  WriteMerging& merging_;
  std::vector<Place> members_;
  std::vector<std::size_t> due_;  ///< indices of those that the present pass is for
  bool calling_ = false;
  std::deque<QueuedPacket> cache_;
  std::optional<base::Time> keyframe_time_;  ///< when the cached keyframe came, if there is one
  std::vector<QueuedPacket> arrived_;        ///< audio frames that wait for the next frame
  base::Time arrived_since_{};               ///< when the first of them came
  std::vector<QueuedPacket> log_;            ///< the packets that some member has not got
  std::uint64_t log_begin_ = 0;              ///< number of the first of them
  std::uint64_t passes_ = 0;                 ///< over the members
  base::Time passed_{};                      ///< the last one
};

}  // namespace server
