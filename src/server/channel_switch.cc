#include "server/channel_switch.h"

#include <utility>

namespace server {

namespace {

bool is_after(std::uint64_t number, const std::optional<std::uint64_t>& newest) {
  return !newest || number > *newest;
}

}  // namespace

bool ChannelSwitch::from_old(QueuedPacket item, base::Time now) {
  const std::uint64_t number = item.packet->number;
  if (!item.is_video()) {
    deliver(std::move(item));
    return false;
  }
  if (key_ && number >= *key_) return true;
  if (holds(item, now)) {
    held_.push_back({std::move(item), now});
    return false;
  }
  deliver(std::move(item));
  return key_ && number + 1 == *key_;
}

bool ChannelSwitch::from_new(QueuedPacket item, base::Time now) {
  if (!item.is_video() || key_) {
    stage(std::move(item));
    return key_ && staged_.size() >= kMaxStagedPackets;
  }
  new_time_ = now;
  if (starts_here(item)) return found_keyframe(std::move(item), now);
  new_seen_ = item.packet->number;  // K comes later, so the old channel's frames up to here count
  deliver_held_through(*new_seen_);
  return false;
}

bool ChannelSwitch::old_closed() {
  old_closed_ = true;
  return key_.has_value();
}

bool ChannelSwitch::check_time(base::Time now) {
  if (key_) return now - key_time_ >= kMaxOldChannelWait;
  deliver_held_before(new_channel_is_silent(now) ? now : now - kMaxOldChannelWait);
  return false;
}

std::vector<QueuedPacket> ChannelSwitch::give_up() {
  deliver_held_before(base::Time::max());
  return take_old();
}

bool ChannelSwitch::starts_here(const QueuedPacket& item) const {
  return item.is_keyframe() && item.packet->pts >= at_ && is_after(item.packet->number, delivered_);
}

/// Whether to hold back a frame of the old channel because the new channel's K may replace it.
bool ChannelSwitch::holds(const QueuedPacket& item, base::Time now) const {
  return !key_ && !new_channel_is_silent(now) && item.packet->pts >= at_ &&
         is_after(item.packet->number, new_seen_);
}

bool ChannelSwitch::found_keyframe(QueuedPacket item, base::Time now) {
  key_ = item.packet->number;
  key_time_ = now;
  stage(std::move(item));
  if (*key_ > 0) deliver_held_through(*key_ - 1);
  const bool passed = !held_.empty();
  const bool next = delivered_ && *delivered_ + 1 == *key_;
  held_.clear();
  return passed || next || old_closed_;
}

void ChannelSwitch::deliver(QueuedPacket item) {
  (item.is_video() ? delivered_ : delivered_audio_) = item.packet->number;
  out_.push_back(std::move(item));
}

void ChannelSwitch::deliver_held_through(std::uint64_t number) {
  while (!held_.empty() && held_.front().item.packet->number <= number) {
    deliver(std::move(held_.front().item));
    held_.pop_front();
  }
}

void ChannelSwitch::deliver_held_before(base::Time since) {
  while (!held_.empty() && held_.front().since <= since) {
    deliver(std::move(held_.front().item));
    held_.pop_front();
  }
}

void ChannelSwitch::stage(QueuedPacket item) {
  if (staged_.size() >= kMaxStagedPackets) {
    audio_frames_dropped_ += is_after(staged_.front().packet->number, delivered_audio_);
    staged_.pop_front();
  }
  staged_.push_back(std::move(item));
}

}  // namespace server
