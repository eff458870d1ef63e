#include "transcoder/encode/encode_group.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <exception>
#include <utility>
#include <variant>

#include "base/log.h"
#include "base/thread_time.h"
#include "transcoder/audio_rates.h"
#include "transcoder/encode/aac_config.h"
#include "transcoder/picture/picture_size.h"

namespace transcoder {

namespace {

/// The pause before another attempt when an encoder cannot be opened or fails at its first frame.
/// Less would fill the log and cost CPU; more would interrupt the stream for longer.
constexpr base::Duration kEncoderRetryInterval = std::chrono::seconds{1};

/// Added to the nice value of encode threads. An event loop that wakes for an acknowledgement, to
/// set a rate before the next frame, must not wait for frames that take 20 ms each.
constexpr int kEncoderNiceIncrement = 5;

/// Lowers the priority of the calling thread and of threads that it starts (on Linux).
void lower_priority() {
  const int nice = ::getpriority(PRIO_PROCESS, 0) + kEncoderNiceIncrement;
  if (::setpriority(PRIO_PROCESS, 0, nice) == 0) return;
  static std::once_flag logged;
  std::call_once(logged, [reason = std::strerror(errno)] {
    base::log::warning("encoder_priority",
                       {{"reason", reason}, {"effect", "encoders may delay the event loops"}});
  });
}

}  // namespace

EncodeGroup::EncodeGroup(std::string name, VideoSettings video, AudioSettings audio,
                         EncoderSettings encoder, base::BitRate initial, OperatingPoint point,
                         Publish publish, OpenEncoder open)
    : name_{std::move(name)},
      video_{video},
      settings_{std::move(encoder)},
      publish_{std::move(publish)},
      open_{std::move(open)},
      audio_rates_{audio.enabled ? audio_rates(audio) : std::vector<base::BitRate>{}},
      target_{initial},
      muxer_{name_, settings_.codec, audio.enabled},
      container_headers_{audio.enabled},
      clock_{settings_.keyframe_interval, settings_.forced_keyframe_interval},
      next_point_{point},
      thread_{[this] { run(); }} {}

EncodeGroup::~EncodeGroup() {
  inbox_.close();
  thread_.join();
}

void EncodeGroup::set_audio(std::size_t rung) {
  if (audio_rates_.empty()) return;
  audio_wanted_.store(std::min(rung, audio_rates_.size() - 1), std::memory_order_relaxed);
}

media::AudioRungs EncodeGroup::audio_rungs() const {
  media::AudioRungs rungs;
  if (audio_rates_.empty()) return rungs;
  return rungs.set(audio_wanted_.load(std::memory_order_relaxed))
      .set(audio_now_.load(std::memory_order_relaxed));
}

void EncodeGroup::set_point(OperatingPoint point) {
  std::lock_guard lock{mutex_};
  next_point_ = point;
}

void EncodeGroup::recover(media::FrameRange lost) {
  std::lock_guard lock{mutex_};
  if (!lost_) lost_ = lost;
  lost_ = {std::min(lost_->first, lost.first), std::max(lost_->last, lost.last)};
}

media::Pts EncodeGroup::schedule_keyframe(media::Pts earliest) {
  pause_.set({});
  std::lock_guard lock{mutex_};
  return clock_.schedule(earliest);
}

EncodeGroup::State EncodeGroup::state() const {
  std::lock_guard lock{mutex_};
  State state = state_;
  state.target = target_.get();
  state.actual = meter_.rate(base::Clock::now());
  if (!audio_rates_.empty()) {
    state.audio = audio_rates_[audio_now_.load(std::memory_order_relaxed)];
  }
  state.frames_late = inbox_.frames_dropped();
  state.audio_dropped = inbox_.audio_dropped();
  return state;
}

void EncodeGroup::run() {
  pthread_setname_np(pthread_self(), "encode");
  lower_priority();
  while (const auto item = inbox_.pop()) {
    std::visit([this](const auto& frame) { handle(frame); }, *item);
    std::lock_guard lock{mutex_};
    state_.encode_time = base::thread_cpu_time();
  }
}

void EncodeGroup::handle(const media::FramePtr& source) {
  if (leave_out(*source)) return;
  const auto before = std::exchange(previous_, source->pts).value_or(source->pts);
  if (pause_.holds(base::Clock::now())) return skip_frame(*source, before);
  const auto& from = source->format;
  const auto whole = fit_picture({from.width, from.height}, video_);
  const auto scaled = scaler_.scale(source, scale_picture(whole, point_.scale));
  if (!scaled) return fail("libswscale cannot scale the picture");
  if (!prepare_encoder(*scaled)) return;
  follow_target();
  follow_effort();
  recover_lost(scaled->pts);
  auto frame = encoder_->encode(*scaled, take_keyframe(scaled->pts));
  if (!frame) return fail_frame(frame.error());
  publish_frame(*scaled, std::move(*frame));
}

void EncodeGroup::handle(const media::AudioFramePtr& frame) {
  const auto rung = audio_choice_.take(*frame, audio_wanted_.load(std::memory_order_relaxed));
  if (!rung) return;
  audio_now_.store(*rung, std::memory_order_relaxed);
  const auto& audio = frame->rungs[*rung];
  auto bytes = muxer_.mux(audio, frame->pts);
  if (!bytes) return fail(bytes.error());
  media::Packet packet;
  packet.kind = media::Packet::Kind::kAudio;
  packet.number = frame->number;
  packet.pts = frame->pts;
  packet.duration = kAacFrameDuration;
  packet.captured = frame->encoded;
  packet.unit = audio.bytes;
  packet.ts = std::move(*bytes);
  publish(std::move(packet));
}

/// Applies a new operating point. Returns whether the operating point leaves out this picture.
bool EncodeGroup::leave_out(const media::Frame& source) {
  std::lock_guard lock{mutex_};
  point_ = next_point_;
  const bool left_out = source.number % point_.every != 0;
  state_.frames_left_out += left_out;
  return left_out;
}

void EncodeGroup::skip_frame(const media::Frame& source, media::Pts before) {
  if (encoder_) encoder_->skip(source.pts);
  std::lock_guard lock{mutex_};
  ++state_.frames_skipped;
  state_.paused += std::max(base::Duration{}, source.pts - before);
}

/// MPEG-2's headers have to state the frame rate, so it is the measured one if that is known. H.264
/// states none (FrameNumbers), and its level has to allow the fastest.
double EncodeGroup::rate_to_state(const media::Frame& frame) const {
  const bool measured = settings_.codec == VideoCodec::kMpeg2 && frame.rate > 0;
  return (measured ? frame.rate : video_.max_frame_rate) / point_.every;
}

/// Whether the headers should be rebuilt. Only where a keyframe is due anyway.
bool EncodeGroup::states_wrong_rate(const media::Frame& frame) const {
  constexpr double kMaxRateError = 0.01;  // 25 and 24 differ by 4 %; estimates waver by less than 1
  return settings_.codec == VideoCodec::kMpeg2 && frame.rate > 0 &&
         frame.pts - keyframe_pts_ >= settings_.keyframe_interval &&
         std::abs(rate_to_state(frame) / stated_rate_ - 1) > kMaxRateError;
}

/// Opens an encoder for frames like this unless there is one. Returns whether there is one.
bool EncodeGroup::prepare_encoder(const media::Frame& frame) {
  const auto& format = frame.format;
  if (encoder_ && format == format_ && !states_wrong_rate(frame)) return true;
  const auto now = base::Clock::now();
  if (now < retry_) {
    count_failure();
    return false;
  }
  rate_ = target_.get();
  effort_now_ = kFirstEffort;
  format_ = format;
  opened_ = true;
  try {
    stated_rate_ = rate_to_state(frame);
    encoder_ = open_(settings_, format, stated_rate_, rate_);
  } catch (const std::exception& error) {
    encoder_.reset();
    retry_ = now + kEncoderRetryInterval;
    fail(error.what());
  }
  return encoder_ != nullptr;
}

void EncodeGroup::follow_target() {
  const auto rate = target_.get();
  if (rate == rate_) return;
  rate_ = rate;
  encoder_->retarget(rate);
  std::lock_guard lock{mutex_};
  ++state_.retargets;
}

void EncodeGroup::follow_effort() {
  const auto effort = effort_.load(std::memory_order_relaxed);
  if (effort != std::exchange(effort_now_, effort)) encoder_->set_effort(effort);
}

/// Makes the frame at `pts` recover from the lost frames, or schedules a keyframe for that.
void EncodeGroup::recover_lost(media::Pts pts) {
  std::lock_guard lock{mutex_};
  const auto lost = std::exchange(lost_, std::nullopt);
  if (!lost || opened_ || keyframe_ > lost->last) return;
  if (encoder_->recover(lost->first)) {
    ++state_.recoveries;
  } else {
    clock_.schedule_recovery(pts);
  }
}

/// Whether the frame at `pts` must be a keyframe.
bool EncodeGroup::take_keyframe(media::Pts pts) {
  std::lock_guard lock{mutex_};
  const auto cause = clock_.take(pts, opened_);
  state_.keyframes_forced += cause == KeyframeClock::Cause::kScheduled;
  return cause != KeyframeClock::Cause::kNone;
}

/// Discards the encoder, because its later frames could refer to the one that failed and is not
/// published. A new encoder begins with a keyframe.
void EncodeGroup::fail_frame(const std::string& reason) {
  encoder_.reset();
  if (opened_) retry_ = base::Clock::now() + kEncoderRetryInterval;
  fail(reason);
}

/// A guess of the frame's duration: the interval before it, which is right at a steady frame rate.
base::Duration EncodeGroup::until_next(media::Pts pts) {
  const base::Duration usual = base::from_seconds(point_.every / video_.max_frame_rate);
  if (interval_ == base::Duration{}) interval_ = usual;
  if (newest_ && pts > *newest_ && pts - *newest_ < 4 * usual) interval_ = pts - *newest_;
  newest_ = pts;
  return interval_;
}

void EncodeGroup::publish_frame(const media::Frame& source, EncodedFrame frame) {
  auto bytes = muxer_.mux(frame, source.pts);
  if (!bytes) return fail_frame(bytes.error());
  if (frame.keyframe && settings_.codec == VideoCodec::kH264) {
    try {
      headers_ = container_headers_.update(frame.bytes, source.format);
    } catch (const std::exception& error) {
      return fail_frame(error.what());
    }
  }
  opened_ = false;
  if (frame.keyframe) {
    keyframe_ = source.number;
    keyframe_pts_ = source.pts;
  }
  {
    std::lock_guard lock{mutex_};
    meter_.add(base::Clock::now(), base::ByteCount{static_cast<std::int64_t>(frame.bytes.size())});
    ++state_.frames;
    state_.keyframes += frame.keyframe;
    state_.format = source.format;
    state_.psnr = frame.psnr;
  }
  media::Packet packet;
  packet.keyframe = frame.keyframe;
  packet.recovers_from = frame.recovers_from;
  packet.number = source.number;
  packet.pts = source.pts;
  packet.captured = source.captured;
  packet.rate = rate_;
  packet.target = frame.target;
  packet.psnr = frame.psnr;
  packet.duration = until_next(source.pts);
  if (frame.keyframe) packet.headers = headers_;
  packet.unit = std::move(frame.bytes);
  packet.ts = std::move(*bytes);
  publish(std::move(packet));
}

void EncodeGroup::publish(media::Packet packet) {
  {
    std::lock_guard lock{mutex_};
    state_.bytes += packet.ts.size();
  }
  publish_(std::make_shared<const media::Packet>(std::move(packet)));
}

void EncodeGroup::count_failure() {
  std::lock_guard lock{mutex_};
  ++state_.failures;
}

void EncodeGroup::fail(const std::string& reason) {
  count_failure();
  if (const auto times = failures_.count(base::Clock::now())) {
    base::log::error("encoder_failed", {{"stream", name_}, {"reason", reason}, {"times", *times}});
  }
}

}  // namespace transcoder
