#include "video_session.h"

#include <algorithm>
#include <utility>

#include "abr/tuning.h"
#include "tcpinfo/packet_train.h"

namespace sim {

namespace {

constexpr std::int64_t kHeadSegments = tcpinfo::kHeadSegments;
constexpr std::int64_t kTailSegments = tcpinfo::kTailSegments;
constexpr base::Duration kTolerated = std::chrono::milliseconds{500};
constexpr double kPixelsPerSecond = 1280. * 720 * 30;
// Audio that has waited for this long for a frame is sent alone: four frames of AAC, as in
// server/group_channel.h.
constexpr base::Duration kMostWaitingAudio = std::chrono::milliseconds{85};

}  // namespace

VideoSession::VideoSession(const Settings& settings, TcpSender& tcp, base::Time start,
                           std::uint64_t seed, std::function<void(base::Time)> send)
    : settings_{settings},
      tcp_{tcp},
      control_{settings.policy(), settings.chooses_congestion_control},
      encoder_{settings.encoder, seed},
      send_{std::move(send)},
      rate_{control_.start(start).rate},
      next_capture_{start} {}

base::Time VideoSession::next_time() const {
  auto next = next_capture_;
  if (sample_at_) next = std::min(next, *sample_at_);
  return encoding_.empty() ? next : std::min(next, encoding_.front().ready);
}

void VideoSession::on_time(base::Time now) {
  while (!encoding_.empty() && encoding_.front().ready <= now) {
    offer(encoding_.front(), now);
    encoding_.pop_front();
  }
  if (sample_at_ && *sample_at_ <= now) {
    decide(now);
    schedule_sample(now);
  }
  if (next_capture_ <= now) {
    capture(now);
    next_capture_ += settings_.frame_interval;
  }
}

void VideoSession::capture(base::Time now) {
  frames_.push_back({.captured = now, .target = rate_});
  capture_audio(now);
  every_ = points_.update({rate_, settings_.max_rate}, kPixelsPerSecond, now).every;
  const bool left_out = frames_.size() % every_ != 0;
  if (left_out || now < paused_until_) {
    if (audio_log_.back().captured - audio_log_[waiting_.begin].captured +
            settings_.frame_interval >=
        kMostWaitingAudio) {
      push({.index = {}, .captured = now, .ready = now, .size = {}, .audio = take_audio()});
      write(now);
    }
    return;
  }
  const bool recovers = std::exchange(recover_next_, false);
  const auto size = encoder_.size(rate_, interval(), recovers);
  frames_.back().size = size;
  encoding_.push_back({.index = frames_.size() - 1,
                       .captured = now,
                       .ready = now + encoder_.time(),
                       .size = settings_.container.size_of(size),
                       .recovers = recovers,
                       .audio = take_audio()});
}

void VideoSession::capture_audio(base::Time now) {
  const auto size =
      settings_.container.audio.at(audio_rungs_.update(rate_, now)) * settings_.frame_interval;
  audio_log_.push_back({.captured = now, .target = rate_, .size = size});
  waiting_.end = audio_log_.size();
  waiting_.size += size;
}

VideoSession::Audio VideoSession::take_audio() {
  return std::exchange(waiting_, {.begin = waiting_.end, .end = waiting_.end});
}

base::Duration VideoSession::interval() const { return every_ * settings_.frame_interval; }

/// A frame has been encoded.
void VideoSession::offer(Frame frame, base::Time now) {
  captured_ = frame.captured;
  if (frame.recovers) frames_missing_ = false;
  if (frames_missing_) {
    frame.index.reset();
    frame.size = {};
  }
  push(frame);
  write(now);
  control_.on_frame();
  if (queue_.empty() && now < control_.next_sample()) return;
  schedule_sample(now);
  decide(now);
}

void VideoSession::push(const Frame& item) {
  queue_.push_back(item);
  queued_ += item.size + item.audio.size;
  if (queued_media() > settings_.queue) drop_queue();
}

/// Between the oldest and the newest frame.
base::Duration VideoSession::queued_media() const {
  const auto oldest = std::ranges::find_if(queue_, &Frame::has_video);
  if (oldest == queue_.end()) return {};
  return std::ranges::find_if(queue_.rbegin(), queue_.rend(), &Frame::has_video)->captured -
         oldest->captured;
}

bool VideoSession::has_frame() const { return std::ranges::any_of(queue_, &Frame::has_video); }

void VideoSession::schedule_sample(base::Time now) {
  sample_at_ = abr::ControlLoop::next_sample_time(
      captured_, interval(), !settings_.shared_group,
      std::ranges::any_of(unacked_, [](const Written& w) { return w.index.has_value(); }), now);
}

bool VideoSession::takes_more() const {
  return tcp_.notsent() < std::max(settings_.notsent_lowat, rate_ * abr::kMaxUnsentTime);
}

void VideoSession::write(base::Time now) {
  while (!queue_.empty() && takes_more()) {
    const Frame frame = queue_.front();
    queue_.pop_front();
    queued_ -= frame.size + frame.audio.size;
    write(frame, now);
    send_(now);
  }
}

/// Writes head and tail separately if the frame is long enough for a packet train.
void VideoSession::write(const Frame& frame, base::Time now) {
  const auto padding = frame.index ? std::exchange(padding_, {}) : base::ByteCount{};
  const auto size = frame.size + frame.audio.size + padding;
  padding_sent_ += padding;
  base::ByteCount head;
  const bool marked = frame.index && now >= control_.next_sample();
  if (marked && size.bytes() >= (kHeadSegments + kTailSegments) * TcpSender::kMss) {
    head = base::ByteCount{kHeadSegments * TcpSender::kMss};
    tcp_.write(head);
  }
  const Offset head_end = tcp_.state().written;
  tcp_.write(size - head);
  const Written written{.index = frame.index,
                        .audio = frame.audio,
                        .departed = now,
                        .head_end = head_end,
                        .end = tcp_.state().written,
                        .head = head,
                        .size = size,
                        .padding = padding,
                        .marked = marked};
  unacked_.push_back(written);
  travelling_.push_back(written);
}

/// Frames and audio.
void VideoSession::drop_queue() {
  queue_.clear();
  queued_ = {};
  frames_missing_ = true;
}

/// Keeps the audio.
void VideoSession::discard_frames() {
  if (!has_frame()) return;
  for (auto& item : queue_) {
    queued_ -= std::exchange(item.size, {});
    item.index.reset();
  }
  frames_missing_ = true;
}

void VideoSession::on_tcp(base::Time now) {
  const auto before = delivered_.size();
  note_acknowledged(now);
  write(now);
  const auto& state = tcp_.state();
  const bool slower = rtt_limit_.count() > 0 && tcp_.round_trip().smoothed() > rtt_limit_;
  if (slower) rtt_limit_ = {};
  const bool lost = state.rexmt > rexmt_ || state.dupack > dupack_;
  if (delivered_.size() > before || lost || slower) decide(now);
}

void VideoSession::note_acknowledged(base::Time now) {
  const Offset cumulative = tcp_.state().cumulative;
  for (auto& written : unacked_) {
    if (written.head_end > cumulative) break;
    if (!written.head_acked && written.head.bytes() > 0) written.head_acked = now;
  }
  while (!unacked_.empty() && unacked_.front().end <= cumulative) {
    const auto& written = unacked_.front();
    if (written.marked) {
      delivered_.push_back({written.departed, written.head_acked, now, written.head, written.size,
                            base::ByteCount{static_cast<std::int64_t>(written.end)}});
    }
    if (written.index) newest_captured_ = frames_[*written.index].captured;
    unacked_.pop_front();
  }
}

void VideoSession::on_arrival(Offset offset, base::Time now) {
  while (!travelling_.empty() && travelling_.front().end <= offset) {
    const auto& written = travelling_.front();
    if (written.index) frames_[*written.index].arrived = now;
    for (auto i = written.audio.begin; i < written.audio.end; ++i) audio_log_[i].arrived = now;
    travelling_.pop_front();
  }
}

void VideoSession::decide(base::Time now) {
  const auto observation = observe();
  note_experience(observation, now);
  rexmt_ = tcp_.state().rexmt;
  dupack_ = tcp_.state().dupack;
  const auto actions = control_.on_observation(
      observation, {.private_group = !settings_.shared_group, .frames_missing = frames_missing_},
      now);
  if (on_decision) on_decision(now, observation, actions.decision);
  delivered_.clear();
  carry_out(actions, now);
}

/// As app::ViewerControl does.
void VideoSession::note_experience(const abr::Observation& observation, base::Time now) {
  const bool late = newest_captured_ > base::Time{} &&
                    now - newest_captured_ > kTolerated + observation.min_rtt + 2 * interval();
  experience_.update(rate_ / settings_.max_rate, late, now);
  const auto control =
      observation.bbr ? abr::CongestionControl::kBbr : abr::CongestionControl::kCubic;
  experienced_[static_cast<std::size_t>(control)] += experience_.take();
}

void VideoSession::carry_out(const abr::Actions& actions, base::Time now) {
  if (actions.rate_changed) rate_ = actions.decision.rate;
  if (actions.padding.bytes() > 0) padding_ = actions.padding;
  if (actions.window > 0 && settings_.steers_window) tcp_.control().set_window(actions.window);
  if (actions.congestion_control) {
    const bool bbr = *actions.congestion_control == abr::CongestionControl::kBbr;
    tcp_.change(bbr ? make_bbr(TcpSender::kMss) : make_cubic());
  }
  tcp_.limit_pacing(actions.pacing);
  if (settings_.watches_rtt && actions.rtt_limit.count() > 0) rtt_limit_ = actions.rtt_limit;
  if (actions.pause) paused_until_ = now + *actions.pause;
  if (actions.discard) discard_frames();
  if (actions.recover) recover_next_ = true;
}

abr::Observation VideoSession::observe() const {
  const auto& state = tcp_.state();
  const auto ssthresh = tcp_.control().ssthresh();
  base::ByteCount padding;
  for (const auto& written : unacked_) padding += written.padding;
  return {
      .rexmt = state.rexmt - rexmt_,
      .dupack = state.dupack - dupack_,
      .frames = delivered_,
      .srtt = tcp_.round_trip().smoothed(),
      .min_rtt = tcp_.round_trip().min(),
      .queued = queued_,
      .discardable = has_frame(),
      .notsent = tcp_.notsent(),
      .in_flight = tcp_.in_flight(),
      .lost = tcp_.lost(),
      .padding = padding,
      .delivered = state.delivered,
      .acknowledged = base::ByteCount{static_cast<std::int64_t>(state.cumulative)},
      .retransmits = state.retransmits,
      .cwnd = static_cast<std::uint32_t>(tcp_.control().window()),
      .ssthresh = ssthresh ? std::optional{static_cast<std::uint32_t>(*ssthresh)} : std::nullopt,
      .mss = TcpSender::kMss,
      .bbr = tcp_.control().bbr(),
      .recovering = state.recovering,
      .rtt_watched = rtt_limit_.count() > 0,
      .neighbours = settings_.neighbours,
      .pacing = tcp_.pacing(),
      .delivery_rate = tcp_.delivery_rate().rate(),
      .app_limited = tcp_.delivery_rate().app_limited(),
      .backlog = (queued_ + tcp_.notsent()) / std::max(rate_, base::BitRate::kbps(1)),
      .served = rate_,
      .frame_interval = interval(),
      .transport = settings_.container.transport(interval()),
  };
}

}  // namespace sim
