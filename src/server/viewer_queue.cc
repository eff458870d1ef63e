#include "server/viewer_queue.h"

#include <utility>

namespace server {

namespace {

constexpr std::size_t kFirstSize = 8;  // two pictures and their audio: what a good path ever needs

std::size_t index(const media::Packet& packet) { return static_cast<std::size_t>(packet.kind); }

base::ByteCount size(const QueuedPacket& item) {
  return base::ByteCount{static_cast<std::int64_t>(item.packet->bytes.size())};
}

}  // namespace

void ViewerQueue::push(QueuedPacket item) {
  if (waiting_ && !item.is_keyframe()) {
    if (item.is_video()) ++state_.frames_dropped;
    return;
  }
  waiting_ = false;
  append(std::move(item));
  if (over()) drop_to_keyframe();
}

QueuedPacket ViewerQueue::pop() {
  QueuedPacket item = take_front();
  item.splice |= std::exchange(splice_[index(*item.packet)], false);
  if (empty()) granted_ = {};
  return item;
}

void ViewerQueue::clear() {
  while (!empty()) take_front();
}

base::Duration ViewerQueue::media() const {
  if (pictures_ < 2) return {};
  std::size_t oldest = 0;
  std::size_t newest = size_ - 1;
  while (!at(oldest).is_video()) ++oldest;
  while (!at(newest).is_video()) --newest;
  return at(newest).packet->pts - at(oldest).packet->pts;
}

void ViewerQueue::append(QueuedPacket item) {
  if (size_ == slots_.size()) grow();
  if (item.is_video()) ++pictures_;
  state_.bytes += size(item);
  at(size_) = std::move(item);
  ++size_;
}

void ViewerQueue::grow() {
  std::vector<QueuedPacket> larger(slots_.empty() ? kFirstSize : slots_.size() * 2);
  for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move(at(i));
  slots_ = std::move(larger);
  head_ = 0;
}

QueuedPacket ViewerQueue::take_front() {
  QueuedPacket item = std::move(at(0));
  head_ = (head_ + 1) & (slots_.size() - 1);
  --size_;
  if (item.is_video()) --pictures_;
  state_.bytes -= size(item);
  return item;
}

void ViewerQueue::drop_to_keyframe() {
  ++state_.gops_dropped;
  drop(newest_keyframe());
  if (!over()) return;
  drop(size_);  // the newest keyframe is too old itself
  waiting_ = true;
}

void ViewerQueue::drop(std::size_t count) {
  for (; count > 0; --count) {
    if (take_front().is_video()) ++state_.frames_dropped;
  }
  splice_ = {true, true};
  if (empty()) granted_ = {};
}

std::size_t ViewerQueue::newest_keyframe() const {
  for (std::size_t i = size_; i-- > 0;) {
    if (at(i).is_keyframe()) return i;
  }
  return 0;
}

}  // namespace server
