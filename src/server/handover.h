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

/// The queue of events from other threads to one loop, in order. Each channel's packets are bounded
/// by the media time of its frames. Above the bound, all packets before the newest keyframe are
/// dropped and counted. If that is not enough, all are, until the next keyframe. Only the newest
/// move of each viewer is kept; other events come once per channel or connection. Thread-safe.
class Handover {
 public:
  using Event = std::variant<Published, ChannelClosed, ViewerMoved, Accepted, Stopping>;

  explicit Handover(base::Duration bound) : bound_{bound} {}

  /// Return true if the loop has to be woken because the queue was empty before.
  bool push(Event event);
  bool publish(media::ChannelId channel, media::PacketPtr packet);

  /// Moves all events into `events`, which is cleared first.
  void take(std::vector<Event>& events);

  std::uint64_t packets_lost() const;

 private:
  // Bounds a channel whose timestamps stand still. A normal second has 107 packets.
  static constexpr std::size_t kMaxChannelPackets = 1024;

  struct Backlog {
    media::ChannelId channel;
    std::uint64_t round = 0;  ///< `round_` of the counts below; those of earlier rounds are taken
    std::size_t packets = 0;
    std::optional<media::Pts> oldest;  ///< pts of the oldest frame
    bool waiting = false;              ///< drops all packets until the next keyframe
  };

  Backlog& backlog(media::ChannelId channel);
  bool is_over_bound(const Backlog& b, const media::Packet& newest) const;
  void drop_to_keyframe(Backlog& b, const media::Packet& newest);
  static void count(Backlog& b, const media::Packet& packet);
  std::size_t newest_keyframe(media::ChannelId channel) const;
  void drop_before(Backlog& b, std::size_t end);
  bool append(Event event);

  const base::Duration bound_;
  mutable std::mutex mutex_;
  std::vector<Event> events_;            // GUARDED_BY(mutex_)
  std::unordered_set<ViewerId> moving_;  // GUARDED_BY(mutex_); viewers with a move in events_
  std::vector<Backlog> backlogs_;        // GUARDED_BY(mutex_); one per open channel
  std::uint64_t round_ = 1;              // GUARDED_BY(mutex_); counts calls of take()
  std::uint64_t packets_lost_ = 0;       // GUARDED_BY(mutex_)
};

}  // namespace server
