#include "server/group_channel.h"

#include <algorithm>

namespace server {

void GroupChannel::remove(ChannelMember& member) {
  const auto it = std::find(members_.begin(), members_.end(), &member);
  if (it == members_.end()) return;
  if (calling_) {
    *it = nullptr;
  } else {
    *it = members_.back();
    members_.pop_back();
  }
}

template <typename Fn>
void GroupChannel::for_each_member(Fn fn) {
  calling_ = true;
  for (std::size_t i = 0; i < members_.size(); ++i) {  // by index: a call may add members
    if (members_[i]) fn(*members_[i]);
  }
  calling_ = false;
  std::erase(members_, nullptr);
}

void GroupChannel::publish(const QueuedPacket& item, base::Time now) {
  keep(item, now);
  for_each_member([&](ChannelMember& member) { member.on_packet(*this, item, now); });
  if (item.is_video()) {
    sounds_waiting_ = 0;
  } else {
    count_sound(now);
  }
}

void GroupChannel::count_sound(base::Time now) {
  if (sounds_waiting_++ == 0) sounds_since_ = now;
  if (sounds_waiting_ < kMaxSoundsWaiting) return;
  sounds_waiting_ = 0;
  for_each_member([now](ChannelMember& member) { member.on_sound_due(now); });
}

void GroupChannel::flush_sounds(base::Time now) {
  if (sounds_waiting_ == 0 || now - sounds_since_ < kSoundPatience) return;
  sounds_waiting_ = 0;
  for_each_member([now](ChannelMember& member) { member.on_sound_due(now); });
}

void GroupChannel::close(base::Time now) {
  for_each_member([&](ChannelMember& member) { member.on_channel_closed(*this, now); });
}

GroupChannel::Gop GroupChannel::gop(base::Time now, base::Duration most) const {
  if (!keyframe_time_ || now - *keyframe_time_ >= std::min(most, kGopAge)) return {};
  const auto keyframe = std::find_if(cache_.begin(), cache_.end(),
                                     [](const QueuedPacket& item) { return item.is_keyframe(); });
  Gop gop{{keyframe, cache_.end()}, now - *keyframe_time_};
  gop.packets.front().splice = false;  // nothing went before it
  return gop;
}

void GroupChannel::keep(const QueuedPacket& item, base::Time now) {
  const bool stale = keyframe_time_ && now - *keyframe_time_ >= kGopAge;
  if (item.is_keyframe() || stale || cache_.size() >= kMaxCached) forget_pictures();
  if (item.is_keyframe()) keyframe_time_ = now;
  if (item.is_video() && !keyframe_time_) return;
  if (cache_.size() >= kMaxCached) cache_.pop_front();
  cache_.push_back(item);
  if (item.is_video()) return;  // sounds may lag the pictures: their age counts among sounds
  const media::Pts oldest = item.packet->pts - kSoundAge;
  while (!cache_.front().is_video() && cache_.front().packet->pts < oldest) cache_.pop_front();
}

void GroupChannel::forget_pictures() {
  std::erase_if(cache_, [](const QueuedPacket& item) { return item.is_video(); });
  keyframe_time_.reset();
}

}  // namespace server
