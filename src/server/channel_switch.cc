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
    give(std::move(item));
    return false;
  }
  if (key_ && number >= *key_) return true;
  if (holds(item, now)) {
    held_.push_back({std::move(item), now});
    return false;
  }
  give(std::move(item));
  return key_ && number + 1 == *key_;
}

bool ChannelSwitch::from_new(QueuedPacket item, base::Time now) {
  if (!item.is_video() || key_) {
    stage(std::move(item));
    return key_ && staged_.size() >= kMaxStaged;
  }
  new_time_ = now;
  if (starts_here(item)) return found_keyframe(std::move(item), now);
  new_seen_ = item.packet->number;  // K comes later: what is held up to here is the old one's
  give_held_through(*new_seen_);
  return false;
}

bool ChannelSwitch::old_closed() {
  old_closed_ = true;
  return key_.has_value();
}

bool ChannelSwitch::on_time(base::Time now) {
  if (key_) return now - key_time_ >= kPatience;
  give_held_before(is_silent(now) ? now : now - kPatience);
  return false;
}

std::vector<QueuedPacket> ChannelSwitch::give_up() {
  give_held_before(base::Time::max());
  return take_old();
}

bool ChannelSwitch::starts_here(const QueuedPacket& item) const {
  return item.is_keyframe() && item.packet->pts >= at_ && is_after(item.packet->number, given_);
}

/// K may be this frame's, in the new channel.
bool ChannelSwitch::holds(const QueuedPacket& item, base::Time now) const {
  return !key_ && !is_silent(now) && item.packet->pts >= at_ &&
         is_after(item.packet->number, new_seen_);
}

bool ChannelSwitch::found_keyframe(QueuedPacket item, base::Time now) {
  key_ = item.packet->number;
  key_time_ = now;
  stage(std::move(item));
  if (*key_ > 0) give_held_through(*key_ - 1);
  const bool past = !held_.empty();
  const bool next = given_ && *given_ + 1 == *key_;
  held_.clear();
  return past || next || old_closed_;
}

void ChannelSwitch::give(QueuedPacket item) {
  (item.is_video() ? given_ : given_audio_) = item.packet->number;
  out_.push_back(std::move(item));
}

void ChannelSwitch::give_held_through(std::uint64_t number) {
  while (!held_.empty() && held_.front().item.packet->number <= number) {
    give(std::move(held_.front().item));
    held_.pop_front();
  }
}

void ChannelSwitch::give_held_before(base::Time since) {
  while (!held_.empty() && held_.front().since <= since) {
    give(std::move(held_.front().item));
    held_.pop_front();
  }
}

void ChannelSwitch::stage(QueuedPacket item) {
  if (staged_.size() >= kMaxStaged) {
    audio_frames_dropped_ += is_after(staged_.front().packet->number, given_audio_);
    staged_.pop_front();
  }
  staged_.push_back(std::move(item));
}

}  // namespace server
