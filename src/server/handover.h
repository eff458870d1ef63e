#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/unique_fd.h"
#include "base/units.h"
#include "media/packet.h"
#include "server/address.h"
#include "server/handler.h"
#include "server/slots.h"
#include "server/viewer_queue.h"

namespace server {

struct Published {
  media::ChannelId channel;
  QueuedPacket item;
};
struct ChannelClosed {
  media::ChannelId channel;
};
struct ViewerMoved {
  ViewerId viewer;
  media::ChannelId channel;
  media::Pts at;
};
struct Accepted {
  base::UniqueFd fd;
  Endpoint peer;
  Slots::Slot slot;
};
struct Stopping {};

/// What other threads hand to one loop, in order. Packets are bounded in media time of a channel's
/// frames: over it, all before the newest keyframe are lost, or all until the next one, and
/// counted. Of a viewer's moves the newest is kept; the rest is one per channel or connection.
/// Thread-safe.
class Handover {
 public:
  using Event = std::variant<Published, ChannelClosed, ViewerMoved, Accepted, Stopping>;

  explicit Handover(base::Duration bound) : bound_{bound} {}

  /// True when the loop has to be woken: it has taken all that was here before.
  bool push(Event event);
  bool publish(media::ChannelId channel, media::PacketPtr packet);

  /// Swaps what is here into `events`, which is cleared first.
  void take(std::vector<Event>& events);

  std::uint64_t packets_lost() const;

 private:
  // 1 s of a channel is 107 packets; this holds where timestamps stand still.
  static constexpr std::size_t kMaxPackets = 1024;

  struct Backlog {
    media::ChannelId channel;
    std::uint64_t round = 0;  ///< of take(); what was counted in an earlier one has been taken
    std::size_t packets = 0;
    std::optional<media::Pts> oldest;  ///< frame
    bool waiting = false;              ///< for a keyframe: all before it are lost
  };

  Backlog& backlog(media::ChannelId channel);
  bool over(const Backlog& b, const media::Packet& newest) const;
  void drop_to_keyframe(Backlog& b, const media::Packet& newest);
  static void count(Backlog& b, const media::Packet& packet);
  std::size_t newest_keyframe(media::ChannelId channel) const;
  void drop_before(Backlog& b, std::size_t end);
  bool append(Event event);

  const base::Duration bound_;
  mutable std::mutex mutex_;
  std::vector<Event> events_;            // GUARDED_BY(mutex_)
  std::unordered_set<ViewerId> moving_;  // GUARDED_BY(mutex_); of events_: a plan moves thousands
  std::vector<Backlog> backlogs_;        // GUARDED_BY(mutex_); one per open channel: few
  std::uint64_t round_ = 1;              // GUARDED_BY(mutex_)
  std::uint64_t packets_lost_ = 0;       // GUARDED_BY(mutex_)
};

}  // namespace server
