#include "server/handover.h"

#include <algorithm>
#include <utility>

namespace server {

namespace {

const Published* packet_of(const Handover::Event& event, media::ChannelId channel) {
  const auto* published = std::get_if<Published>(&event);
  return published && published->channel == channel ? published : nullptr;
}

bool is_move_of(const Handover::Event& event, ViewerId viewer) {
  const auto* moved = std::get_if<ViewerMoved>(&event);
  return moved && moved->viewer == viewer;
}

}  // namespace

bool Handover::push(Event event) {
  std::lock_guard lock{mutex_};
  const auto* moved = std::get_if<ViewerMoved>(&event);
  if (moved && !moving_.insert(moved->viewer).second) {
    std::erase_if(events_, [&](const Event& e) { return is_move_of(e, moved->viewer); });
  }
  if (const auto* closed = std::get_if<ChannelClosed>(&event)) {
    std::erase_if(backlogs_, [&](const Backlog& b) { return b.channel == closed->channel; });
  }
  return append(std::move(event));
}

bool Handover::publish(media::ChannelId channel, media::PacketPtr packet) {
  std::lock_guard lock{mutex_};
  Published published{channel, {packet}};
  Backlog& b = backlog(channel);
  if (b.waiting && !published.item.is_keyframe()) {
    ++packets_lost_;
    return false;
  }
  published.item.splice = std::exchange(b.waiting, false);
  count(b, *packet);
  const bool wake = append(std::move(published));
  if (is_over_bound(b, *packet)) drop_to_keyframe(b, *packet);
  return wake;
}

void Handover::take(std::vector<Event>& events) {
  events.clear();
  std::lock_guard lock{mutex_};
  events_.swap(events);
  moving_.clear();
  ++round_;
}

std::uint64_t Handover::packets_lost() const {
  std::lock_guard lock{mutex_};
  return packets_lost_;
}

Handover::Backlog& Handover::backlog(media::ChannelId channel) {
  auto it = std::find_if(backlogs_.begin(), backlogs_.end(),
                         [&](const Backlog& b) { return b.channel == channel; });
  if (it == backlogs_.end()) it = backlogs_.insert(it, Backlog{.channel = channel});
  if (it->round != round_) {
    it->round = round_;
    it->packets = 0;
    it->oldest = {};
  }
  return *it;
}

bool Handover::is_over_bound(const Backlog& b, const media::Packet& newest) const {
  const bool frame = newest.kind == media::Packet::Kind::kVideo;
  return (frame && newest.pts - *b.oldest > bound_) || b.packets > kMaxChannelPackets;
}

void Handover::count(Backlog& b, const media::Packet& packet) {
  ++b.packets;
  if (packet.kind == media::Packet::Kind::kVideo && !b.oldest) b.oldest = packet.pts;
}

void Handover::drop_to_keyframe(Backlog& b, const media::Packet& newest) {
  drop_before(b, newest_keyframe(b.channel));
  if (b.packets > 0 && !is_over_bound(b, newest)) return;
  drop_before(b, events_.size());  // the newest keyframe is too old itself
  b.waiting = true;
}

std::size_t Handover::newest_keyframe(media::ChannelId channel) const {
  for (std::size_t i = events_.size(); i-- > 0;) {
    const auto* published = packet_of(events_[i], channel);
    if (published && published->item.is_keyframe()) return i;
  }
  return events_.size();
}

/// Drops the channel's packets among the first `end` events, and recounts the remaining ones. Those
/// may include packets from before the channel was closed.
void Handover::drop_before(Backlog& b, std::size_t end) {
  const auto is_packet = [&](const Event& e) { return packet_of(e, b.channel) != nullptr; };
  const auto begin = events_.begin();
  const auto last = begin + static_cast<std::ptrdiff_t>(end);
  const auto kept = std::remove_if(begin, last, is_packet);
  packets_lost_ += static_cast<std::uint64_t>(last - kept);
  events_.erase(kept, last);
  b.packets = 0;
  b.oldest = {};
  for (auto& event : events_) {
    if (!is_packet(event)) continue;
    auto& item = std::get<Published>(event).item;
    if (b.packets == 0) item.splice = true;
    count(b, *item.packet);
  }
}

bool Handover::append(Event event) {
  events_.push_back(std::move(event));
  return events_.size() == 1;
}

}  // namespace server
