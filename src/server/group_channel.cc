#include "server/group_channel.h"

#include <algorithm>

#include "base/prefetch.h"

namespace server {

namespace {

// The state of a thousand members does not fit into the nearest cache, so it is fetched while those
// before are served: first the objects, then what they point to. Serving one takes longer than a
// fetch.
constexpr std::size_t kObjectsAhead = 2;
constexpr std::size_t kContentsAhead = 1;
constexpr std::size_t kObjectBytes =
    896;  // of a ViewerSession, nearly all of which a frame touches

}  // namespace

void GroupChannel::remove(ChannelMember& member) {
  const auto it = std::ranges::find(members_, &member, &Place::member);
  if (it == members_.end()) return;
  if (calling_) {
    it->member = nullptr;
  } else {
    *it = members_.back();
    members_.pop_back();
  }
}

void GroupChannel::publish(const QueuedPacket& item, base::Time now) {
  if (arrived_.empty()) arrived_since_ = now;
  arrived_.push_back(item);
  if (item.is_video() || arrived_.size() >= kMaxWaitingAudioFrames) pass_on(now);
}

void GroupChannel::check_time(base::Time now) {
  if (!arrived_.empty() && now - arrived_since_ >= kMaxAudioWait) pass_on(now);
  // No frame has come for a while, so those that wait need not wait for the next one.
  if (!log_.empty() && now - passed_ >= WriteMerging::kMaxDelay) {
    pass_to([](const Place&, std::size_t) { return true; }, now);
    forget_passed();
  }
}

void GroupChannel::pass_on(base::Time now) {
  for (const auto& item : arrived_) keep(item, now);
  const auto& newest = arrived_.back();
  const std::uint64_t merged = newest.is_video() ? merging_.frames(newest.packet->duration) : 1;
  log_.insert(log_.end(), arrived_.begin(), arrived_.end());
  arrived_.clear();
  passed_ = now;
  ++passes_;
  const auto began = base::Clock::now();
  if (merged == 1) {
    pass_to([](const Place&, std::size_t) { return true; }, now);
  } else {
    pass_to([](const Place& place, std::size_t) { return !place.may_wait; }, now);
    // They take turns, so that each pass has as many writes. Nobody waits longer while the number
    // of frames or the order of the members changes.
    pass_to(
        [&](const Place& place, std::size_t i) {
          return place.may_wait &&
                 ((passes_ + i) % merged == 0 || passes_ - place.called >= merged);
        },
        now);
  }
  merging_.passed(began, base::Clock::now());
  forget_passed();
}

/// Passes to each member for which wanted(place, index) holds what it has not got.
template <typename Wanted>
void GroupChannel::pass_to(Wanted wanted, base::Time now) {
  due_.clear();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].next < end_of_log() && wanted(members_[i], i)) due_.push_back(i);
  }
  calling_ = true;
  for (std::size_t i = 0; i < due_.size(); ++i) {
    prefetch_after(i);
    auto& place = members_[due_[i]];
    if (!place.member) continue;
    const std::span items{log_.begin() + static_cast<std::ptrdiff_t>(place.next - log_begin_),
                          log_.end()};
    place.next = end_of_log();
    place.called = passes_;
    const bool may_wait = place.member->on_packets(*this, items, now);
    members_[due_[i]].may_wait = may_wait;  // `place` may have moved: a call may add members
  }
  calling_ = false;
  std::erase_if(members_, [](const Place& place) { return place.member == nullptr; });
}

void GroupChannel::prefetch_after(std::size_t i) const {
  const auto due = [&](std::size_t at) {
    return at < due_.size() ? members_[due_[at]].member : nullptr;
  };
  if (const auto* member = due(i + kObjectsAhead)) base::prefetch(member, kObjectBytes);
  if (const auto* member = due(i + kContentsAhead)) member->prefetch();
}

void GroupChannel::forget_passed() {
  auto first = end_of_log();
  for (const auto& place : members_) first = std::min(first, place.next);
  log_.erase(log_.begin(), log_.begin() + static_cast<std::ptrdiff_t>(first - log_begin_));
  log_begin_ = first;
}

void GroupChannel::close(base::Time now) {
  pass_to([](const Place&, std::size_t) { return true; }, now);
  calling_ = true;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].member) members_[i].member->on_channel_closed(*this, now);
  }
  calling_ = false;
  std::erase_if(members_, [](const Place& place) { return place.member == nullptr; });
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
