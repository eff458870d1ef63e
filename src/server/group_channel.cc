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
  for (std::size_t i = 0; i < members_.size(); ++i) {  // by index, because a call may add members
    if (members_[i]) fn(*members_[i]);
  }
  calling_ = false;
  std::erase(members_, nullptr);
}

void GroupChannel::publish(const QueuedPacket& item, base::Time now) {
  keep(item, now);
  for_each_member([&](ChannelMember& member) { member.on_packet(*this, item, now); });
  if (item.is_video()) {
    audio_waiting_ = 0;
  } else {
    count_audio(now);
  }
}

void GroupChannel::count_audio(base::Time now) {
  if (audio_waiting_++ == 0) audio_since_ = now;
  if (audio_waiting_ < kMaxWaitingAudioFrames) return;
  audio_waiting_ = 0;
  for_each_member([now](ChannelMember& member) { member.on_audio_due(now); });
}

void GroupChannel::flush_audio(base::Time now) {
  if (audio_waiting_ == 0 || now - audio_since_ < kMaxAudioWait) return;
  audio_waiting_ = 0;
  for_each_member([now](ChannelMember& member) { member.on_audio_due(now); });
}

void GroupChannel::close(base::Time now) {
  for_each_member([&](ChannelMember& member) { member.on_channel_closed(*this, now); });
}

GroupChannel::Gop GroupChannel::gop(base::Time now, base::Duration max_age) const {
  if (!keyframe_time_ || now - *keyframe_time_ >= std::min(max_age, kMaxGopAge)) return {};
  const auto keyframe = std::find_if(cache_.begin(), cache_.end(),
                                     [](const QueuedPacket& item) { return item.is_keyframe(); });
  Gop gop{{keyframe, cache_.end()}, now - *keyframe_time_};
  gop.packets.front().splice = false;  // the viewer has received nothing before it
  return gop;
}

void GroupChannel::keep(const QueuedPacket& item, base::Time now) {
  const bool stale = keyframe_time_ && now - *keyframe_time_ >= kMaxGopAge;
  if (item.is_keyframe() || stale || cache_.size() >= kMaxCachedPackets) forget_frames();
  if (item.is_keyframe()) keyframe_time_ = now;
  if (item.is_video() && !keyframe_time_) return;
  if (cache_.size() >= kMaxCachedPackets) cache_.pop_front();
  cache_.push_back(item);
  // Audio may lag behind the video, so its age is measured against the newest audio frame.
  if (item.is_video()) return;
  const media::Pts oldest = item.packet->pts - kCachedAudio;
  while (!cache_.front().is_video() && cache_.front().packet->pts < oldest) cache_.pop_front();
}

void GroupChannel::forget_frames() {
  std::erase_if(cache_, [](const QueuedPacket& item) { return item.is_video(); });
  keyframe_time_.reset();
}

}  // namespace server
