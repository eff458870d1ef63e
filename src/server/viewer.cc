#include "server/viewer.h"

namespace server {

namespace {
std::size_t index(media::Packet::Kind kind) { return static_cast<std::size_t>(kind); }
}  // namespace

Viewer::Viewer(ViewerState state, base::Duration queue_bound, ResponseWriter writer)
    : state_{std::move(state)},
      queue_{queue_bound, writer.container()},
      writer_{std::move(writer)} {
  state_.sent = base::ByteCount{static_cast<std::int64_t>(writer_.offset())};
}

void Viewer::begin(const GroupChannel::Gop& gop) {
  queue_.grant(gop.age);
  for (const auto& item : gop.packets) deliver(item);
  update_state();
}

void Viewer::offer(Source source, std::span<const QueuedPacket> items, base::Time now) {
  if (phase_ == Phase::kDraining) return;
  for (const auto& item : items) offer(source, item, now);
  update_state();
}

void Viewer::offer(Source source, const QueuedPacket& item, base::Time now) {
  check_time(now);
  if (!switch_) {
    // check_time() may have ended a switch. From then on only the new channel counts.
    if (switched_ == (source == Source::kNext)) deliver(item);
  } else if (source == Source::kCurrent) {
    apply(switch_->from_old(item, now));
  } else {
    apply(switch_->from_new(item, now));
  }
}

void Viewer::begin_switch(media::Pts at, base::Time now) {
  cancel_switch();
  switch_ =
      std::make_unique<ChannelSwitch>(at, delivered_[index(media::Packet::Kind::kVideo)], now);
}

void Viewer::cancel_switch() {
  if (!switch_) return;
  for (auto& item : switch_->give_up()) deliver(std::move(item));
  switch_.reset();
}

void Viewer::old_channel_closed() {
  if (switch_) apply(switch_->old_closed());
}

void Viewer::check_time(base::Time now) {
  if (switch_) apply(switch_->check_time(now));
}

bool Viewer::prepare(bool audio_due, bool merge) {
  // The next frame may be far away.
  audio_due |= queue_.state().missing && queue_.packets() >= kAudioFramesPerWrite;
  if (writer_.between() && phase_ != Phase::kDraining &&
      (queue_.has_frame() || (audio_due && !queue_.empty()))) {
    while ((batch_frames_ == 0 || merge) && writer_.room() && !queue_.empty()) {
      QueuedPacket item = queue_.pop();
      if (item.is_video()) ++batch_frames_;
      writer_.add(std::move(item));
    }
    if (batch_frames_ > 0) {
      state_.frames_per_write = static_cast<unsigned>(batch_frames_);
      pad_batch();
    }
    writer_.seal();
    marks_ = {};
    mark_due_ = batch_frames_ > 0;
  }
  return !writer_.idle();
}

void Viewer::pad_batch() {
  writer_.pad(static_cast<std::size_t>(std::exchange(padding_, {}).bytes()));
  state_.padding += base::ByteCount{static_cast<std::int64_t>(writer_.padding())};
}

std::optional<media::FrameRange> Viewer::discard_unsent() {
  const auto discarded = queue_.discard_frames();
  update_state();
  return discarded;
}

void Viewer::mark(TxTimestampRequest marks) {
  mark_due_ = false;
  marks_ = marks;
  writer_.split(marks.head);
}

void Viewer::taken(std::size_t bytes, base::Time now) {
  writer_.advance(bytes, [&](const media::Packet& packet, std::uint64_t end_offset) {
    if (packet.kind == media::Packet::Kind::kVideo) on_sent(packet, end_offset, now);
  });
  state_.sent = base::ByteCount{static_cast<std::int64_t>(writer_.offset())};
  update_state();
}

void Viewer::finish() {
  switch_.reset();
  queue_.clear();
  phase_ = Phase::kDraining;
  writer_.finish();
  update_state();
}

void Viewer::deliver(QueuedPacket item) {
  if (phase_ == Phase::kJoining) {
    if (!item.is_keyframe()) return;
    phase_ = Phase::kPlaying;
  }
  if (!is_new(*item.packet)) return;
  if (item.splice) splice_ = {true, true};
  item.splice = std::exchange(splice_[index(item.packet->kind)], false);
  if (item.is_video()) {
    state_.rate = item.packet->rate;
    state_.captured = item.packet->captured;
  }
  queue_.push(std::move(item));
}

/// Whether the packet has not been delivered yet. Packets have the same numbers in every channel.
bool Viewer::is_new(const media::Packet& packet) {
  auto& newest = delivered_[index(packet.kind)];
  if (newest && packet.number <= *newest) return false;
  newest = packet.number;
  return true;
}

void Viewer::apply(bool switched) {
  audio_frames_dropped_ += switch_->take_audio_frames_dropped();
  for (auto& item : switch_->take_old()) deliver(std::move(item));
  if (!switched) return;
  ++state_.switches;
  splice_ = {true, true};
  for (auto& item : switch_->take_new()) deliver(std::move(item));
  switch_.reset();
  switched_ = true;
}

void Viewer::update_state() {
  const auto& queue = queue_.state();
  state_.queued = queue.bytes + base::ByteCount{static_cast<std::int64_t>(writer_.unsent())};
  state_.discardable = queue_.has_frame();
  state_.frames_dropped = queue.frames_dropped;
  state_.gops_dropped = queue.gops_dropped;
  state_.audio_frames_dropped = queue.audio_frames_dropped + audio_frames_dropped_;
  state_.discards = queue.discards;
  state_.missing = queue.missing;
}

void Viewer::on_sent(const media::Packet& packet, std::uint64_t end_offset, base::Time now) {
  ++state_.frames_sent;
  const bool last = --batch_frames_ == 0;  // the mark is at the end of the batch
  sent_.push({.number = packet.number,
              .pts = packet.pts,
              .captured = packet.captured,
              .departed = now,
              .begin = writer_.batch_begin(),
              .end_offset = end_offset,
              .marked_end = marks_.end && last ? writer_.batch_end() : 0,
              .head_end = writer_.head_end(),
              .size = static_cast<std::uint32_t>(packet.in(writer_.container()).size()),
              .padding = static_cast<std::uint32_t>(writer_.padding()),
              .target = static_cast<std::uint32_t>(packet.target.bytes()),
              .psnr = packet.psnr,
              .keyframe = packet.keyframe});
}

}  // namespace server
