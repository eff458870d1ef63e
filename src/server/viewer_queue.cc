#include "server/viewer_queue.h"

#include <algorithm>
#include <utility>

namespace server {

namespace {

std::size_t index(const media::Packet& packet) { return static_cast<std::size_t>(packet.kind); }

}  // namespace

base::ByteCount ViewerQueue::size(const QueuedPacket& item) const {
  return base::ByteCount{static_cast<std::int64_t>(item.packet->in(container_).size())};
}

void ViewerQueue::push(QueuedPacket item) {
  if (!accepts(item)) return count_dropped(item);
  if (item.is_video()) {
    item.splice |= state_.missing.has_value();
    paused_ = false;
    drops_audio_ = false;
    state_.missing.reset();
  }
  append(std::move(item));
  if (is_over_bound()) drop_to_keyframe();
}

QueuedPacket ViewerQueue::pop() {
  QueuedPacket item = take_front();
  item.splice |= std::exchange(splice_[index(*item.packet)], false);
  if (item.is_video()) popped_ = item.packet->number;
  if (empty()) granted_ = {};
  return item;
}

void ViewerQueue::clear() {
  while (!empty()) take_front();
}

std::optional<media::FrameRange> ViewerQueue::discard_frames() {
  if (!has_frame()) return {};
  for (std::size_t left = items_.size(); left > 0; --left) {
    QueuedPacket item = take_front();
    if (!item.is_video()) {
      append(std::move(item));
      continue;
    }
    count_dropped(item);
  }
  miss_all_after_popped();
  ++state_.discards;
  splice_[static_cast<std::size_t>(media::Packet::Kind::kVideo)] = true;
  granted_ = {};
  return state_.missing;
}

base::Duration ViewerQueue::media() const {
  if (frames_ < 2) return {};
  std::size_t oldest = 0;
  std::size_t newest = items_.size() - 1;
  while (!items_[oldest].is_video()) ++oldest;
  while (!items_[newest].is_video()) --newest;
  return items_[newest].packet->pts - items_[oldest].packet->pts;
}

/// Whether the packet can be decoded: the packets it needs were not dropped.
bool ViewerQueue::accepts(const QueuedPacket& item) const {
  if (item.is_keyframe()) return true;
  if (!item.is_video()) return !drops_audio_;
  if (paused_) return false;
  const auto& recovers_from = item.packet->recovers_from;
  return !state_.missing || (recovers_from && *recovers_from <= state_.missing->first);
}

void ViewerQueue::append(QueuedPacket item) {
  if (item.is_video()) ++frames_;
  state_.bytes += size(item);
  items_.push_back(std::move(item));
}

QueuedPacket ViewerQueue::take_front() {
  QueuedPacket item = items_.pop_front();
  if (item.is_video()) --frames_;
  state_.bytes -= size(item);
  return item;
}

void ViewerQueue::drop_to_keyframe() {
  ++state_.gops_dropped;
  const auto rejected = state_.missing;  // after those in the queue: see pause()
  drop(newest_keyframe());
  if (is_over_bound()) {
    drop(items_.size());  // the newest keyframe is too old itself
    miss_all_after_popped();
    drops_audio_ = true;
  } else {
    state_.missing = rejected;
  }
}

void ViewerQueue::drop(std::size_t count) {
  for (; count > 0; --count) count_dropped(take_front());
  splice_ = {true, true};
  if (empty()) granted_ = {};
}

void ViewerQueue::count_dropped(const QueuedPacket& item) {
  if (!item.is_video()) {
    ++state_.audio_frames_dropped;
    return;
  }
  paused_ = false;  // `missing` is set from here on
  const auto number = item.packet->number;
  const auto before = state_.missing.value_or(media::FrameRange{number, number});
  state_.missing = {std::min(before.first, number), std::max(before.last, number)};
  ++state_.frames_dropped;
}

/// Once no frame is left. Counts the frames too from which a dropped frame had recovered.
void ViewerQueue::miss_all_after_popped() {
  if (popped_ && state_.missing) {
    state_.missing->first = std::min(state_.missing->first, *popped_ + 1);
  }
}

std::size_t ViewerQueue::newest_keyframe() const {
  for (std::size_t i = items_.size(); i-- > 0;) {
    if (items_[i].is_keyframe()) return i;
  }
  return 0;
}

}  // namespace server
