#include "server/viewer_session.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/prefetch.h"

namespace server {

namespace {

// TCP_USER_TIMEOUT is stall_timeout plus this margin. The kernel's clock starts with the first
// unacknowledged byte, the server's later, when the socket is full. With less, the kernel would
// close the connection before the server could record `stalled`. With more, a viewer who has
// vanished and whose socket is not full stays longer.
constexpr base::Duration kUserTimeoutMargin = std::chrono::seconds{5};

// The part of an observer that a frame of a calm viewer touches.
constexpr std::size_t kObserverBytes = 64;

LeaveReason reason_of(int error) {
  return error == EPIPE || error == ECONNRESET ? LeaveReason::kClosedByViewer
                                               : LeaveReason::kSocketError;
}

}  // namespace

ViewerSession::ViewerSession(LoopContext& context, ViewerSocket& socket, Start start, Ended ended)
    : context_{context},
      socket_{socket},
      place_{std::move(start.place)},
      viewer_{std::move(start.state), context.shared.settings.queue, std::move(start.writer)},
      observer_{std::move(start.admission.observer)},
      first_channel_{start.admission.channel},
      ended_{std::move(ended)} {}

ViewerSession::~ViewerSession() { leave_channels(); }

void ViewerSession::join(base::Time now) {
  viewer_.state().channel = first_channel_;
  context_.sessions.emplace(state().id, this);
  context_.counters.joined.add();
  acked_since_ = now;
  taken_ = viewer_.writer().offset();
  socket_.give_up_after(context_.shared.settings.stall_timeout + kUserTimeoutMargin);
  if (observer_) observer_->on_join(tick(now));
  enter(first_channel_, now);
  pump(false, now);
}

void ViewerSession::on_writable(base::Time now) {
  full_ = false;
  pump(false, now);
}

void ViewerSession::on_error_queue(base::Time now) {
  if (!over_ && observer_) observer_->on_error_queue(tick(now));
}

void ViewerSession::move(media::ChannelId channel, media::Pts at, base::Time now) {
  if (over_ || finishing_) return;
  if (next_) {
    std::exchange(next_, nullptr)->remove(*this);
    viewer_.cancel_switch();
  }
  if (current_ && current_->id() == channel) return pump(false, now);
  if (viewer_.phase() == Viewer::Phase::kJoining) {
    leave_channels();
    enter(channel, now);
  } else {
    next_ = &context_.channel(channel);
    next_->add(*this);
    viewer_.begin_switch(at, now);
    if (!current_) viewer_.old_channel_closed();
    viewer_.offer(Viewer::Source::kNext, next_->recent(), now);
    follow_switch();
  }
  pump(false, now);
}

bool ViewerSession::on_packets(GroupChannel& channel, std::span<const QueuedPacket> items,
                               base::Time now) {
  if (over_) return false;
  const bool was_current = &channel == current_;
  viewer_.offer(was_current ? Viewer::Source::kCurrent : Viewer::Source::kNext, items, now);
  follow_switch();
  const bool has_frame = items.back().is_video();
  pump(!has_frame, now);
  if (over_ || !(was_current || &channel == current_)) return false;
  if (has_frame && observer_) schedule_sample(observer_->on_tick(tick(now)));
  return may_wait();
}

void ViewerSession::prefetch() const {
  base::prefetch(&socket_);
  base::prefetch(observer_.get(), kObserverBytes);
  viewer_.prefetch();
}

/// Whether the next frame may wait for the one after it. A viewer who has left has no observer.
bool ViewerSession::may_wait() const {
  return observer_ && observer_->may_wait() && !full_ && !next_ && !finishing_;
}

void ViewerSession::on_channel_closed(GroupChannel& channel, base::Time now) {
  if (&channel == next_) {
    next_ = nullptr;
    viewer_.cancel_switch();
    pump(false, now);
    if (!current_) finish(LeaveReason::kStreamGone, now);
  } else if (&channel == current_) {
    current_ = nullptr;
    if (!next_) return finish(LeaveReason::kStreamGone, now);
    viewer_.old_channel_closed();
    follow_switch();
    pump(false, now);
  }
}

void ViewerSession::check_times(base::Time now) {
  if (over_) return;
  count_drops();
  if (finishing_ && now >= finish_by_) return leave(*finishing_, now);
  if (viewer_.switching()) {
    viewer_.check_time(now);
    follow_switch();
    pump(false, now);
  }
  if (!over_) check_stall(now);
  if (!over_) earn_place(now);
}

void ViewerSession::finish(LeaveReason reason, base::Time now) {
  if (over_ || finishing_) return;
  finishing_ = reason;
  finish_by_ = now + kFinishTimeout;
  leave_channels();
  viewer_.finish();
  pump(false, now);
}

void ViewerSession::leave(LeaveReason reason, base::Time now) {
  if (over_) return;
  over_ = true;
  leave_channels();
  count_drops();
  context_.sessions.erase(state().id);
  context_.counters.left[static_cast<std::size_t>(reason)].add();
  if (observer_) observer_->on_leave(tick(now), reason);
  observer_.reset();
  place_ = {};
  ended_(reason, !viewer_.has_unsent());
}

void ViewerSession::enter(media::ChannelId channel, base::Time now) {
  current_ = &context_.channel(channel);
  current_->add(*this);
  viewer_.state().channel = channel;
  viewer_.begin(current_->gop(now, context_.shared.settings.queue));
}

void ViewerSession::leave_channels() {
  if (current_) std::exchange(current_, nullptr)->remove(*this);
  if (next_) std::exchange(next_, nullptr)->remove(*this);
}

void ViewerSession::follow_switch() {
  if (!viewer_.switched()) return;
  if (current_) current_->remove(*this);
  current_ = std::exchange(next_, nullptr);
  viewer_.state().channel = current_->id();
  context_.counters.switches.add();
}

void ViewerSession::pump(bool audio_due, base::Time now) {
  const bool merge = viewer_.has_several_frames() && may_wait();
  while (!over_ && !full_ && viewer_.prepare(audio_due, merge)) {
    if (observer_ && viewer_.mark_due()) {
      const auto size = static_cast<std::int64_t>(viewer_.writer().unsent());
      viewer_.mark(observer_->tx_timestamps(base::ByteCount{size}, now));
    }
    ResponseWriter::Pieces memory;
    const auto sent = socket_.send(viewer_.writer().pieces(memory), viewer_.marked());
    if (sent.error != 0) return leave(reason_of(sent.error), now);
    wrote_ = base::Clock::now();
    viewer_.taken(sent.bytes, wrote_);
    context_.counters.bytes_sent.add(sent.bytes);
    full_ = sent.full;
  }
  if (finishing_ && !viewer_.has_unsent()) leave(*finishing_, now);
}

/// `now` is when the loop woke up, which may be before the last write.
ViewerTick ViewerSession::tick(base::Time now) {
  return {viewer_.state(), socket_.fd(), std::max(now, wrote_), viewer_.sent(), viewer_};
}

void ViewerSession::count_drops() {
  const auto count = [](Counter& counter, std::uint64_t& counted, std::uint64_t now) {
    if (now != counted) counter.add(now - std::exchange(counted, now));
  };
  count(context_.counters.frames_dropped, frames_counted_, state().frames_dropped);
  count(context_.counters.audio_frames_dropped, audio_counted_, state().audio_frames_dropped);
  count(context_.counters.gops_dropped, gops_counted_, state().gops_dropped);
  count(context_.counters.discards, discards_counted_, state().discards);
  count(context_.counters.padding_bytes, padding_counted_,
        static_cast<std::uint64_t>(state().padding.bytes()));
  count(context_.counters.frames_forgotten, forgotten_counted_, viewer_.sent().forgotten());
}

void ViewerSession::on_sample_due(base::Time now) {
  if (observer_) schedule_sample(observer_->on_sample_due(tick(now)));
}

/// Reads the clock, because the loop may have served many viewers since it woke up.
void ViewerSession::schedule_sample(std::optional<base::Time> at) {
  if (at) {
    if (!sample_timer_)
      sample_timer_ =
          context_.loop.timer("viewer_due", [this] { on_sample_due(base::Clock::now()); });
    sample_timer_->arm(std::max(base::Duration{}, *at - base::Clock::now()));
  } else if (sample_timer_) {
    sample_timer_->disable();
  }
}

void ViewerSession::check_stall(base::Time now) {
  if (!full_) {
    acked_since_ = now;
    return;
  }
  const auto acked = acknowledged();
  if (acked > std::exchange(acked_, acked)) acked_since_ = now;
  if (now - acked_since_ >= context_.shared.settings.stall_timeout) {
    leave(LeaveReason::kStalled, now);
  }
}

/// Asks the kernel only if the place needs it: every few seconds for a viewer who takes what comes.
void ViewerSession::earn_place(base::Time now) {
  if (place_.lost()) return leave(LeaveReason::kEvicted, now);
  if (finishing_ || place_.is_safe(now)) return;
  const auto acked = acknowledged();
  if (acked <= taken_) return;
  place_.took(base::ByteCount{static_cast<std::int64_t>(acked - taken_)}, now);
  taken_ = acked;
}

std::uint64_t ViewerSession::acknowledged() const {
  const std::uint64_t sent = viewer_.writer().offset();
  return sent - std::min<std::uint64_t>(socket_.unacknowledged(), sent);
}

}  // namespace server
