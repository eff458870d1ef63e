#include "transcoder/encode/encode_group.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/log_period.h"
#include "base/thread_time.h"
#include "transcoder/encode/aac_config.h"
#include "transcoder/encode/container_headers.h"
#include "transcoder/encode/frame_skip.h"
#include "transcoder/encode/group_inbox.h"
#include "transcoder/encode/keyframe_clock.h"
#include "transcoder/encode/rate_meter.h"
#include "transcoder/encode/rate_target.h"
#include "transcoder/encode/ts_muxer.h"
#include "transcoder/picture/picture_size.h"
#include "transcoder/picture/scaler.h"

namespace transcoder {

namespace {

/// An encoder that cannot be opened, or gives nothing, is tried again this often.
constexpr base::Duration kRetry = std::chrono::seconds{1};

/// Above the event loops' nice value: who wakes up for an acknowledgement, to tell of a rate before
/// the next picture, does not wait for pictures that take 20 ms each.
constexpr int kNice = 5;

/// The calling thread and those that it starts (on Linux).
void give_way() {
  if (::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + kNice) == 0) return;
  static std::once_flag said;
  std::call_once(said, [reason = std::strerror(errno)] {
    base::log::warning("encoder_priority",
                       {{"reason", reason}, {"effect", "encoders do not give way to event loops"}});
  });
}

}  // namespace

class EncodeGroup::Impl {
 public:
  Impl(std::string name, const VideoSettings& video, const AudioSettings& audio,
       EncoderSettings encoder, base::BitRate initial, OperatingPoint point, Publish publish,
       OpenEncoder open);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  GroupInbox& inbox() { return inbox_; }
  void retarget(base::BitRate rate) { target_.set(rate); }
  void skip(unsigned pictures) { skip_.set(pictures); }
  void set_point(OperatingPoint point);
  void recover(media::FrameRange lost);
  media::Pts schedule_keyframe(media::Pts earliest);
  State state() const;

 private:
  void run();
  void handle(const media::FramePtr& source);
  void handle(const media::AudioFramePtr& frame);
  void skip(const media::Frame& frame);
  bool leave_out(const media::Frame& frame);
  bool prepare(const media::PictureFormat& format);
  void follow_target();
  void recover_lost(media::Pts pts);
  bool begin_picture(media::Pts pts);
  void fail_picture(const std::string& reason);
  void publish_frame(const media::Frame& frame, EncodedFrame picture);
  base::Duration until_next(media::Pts pts);
  void publish(media::Packet packet);
  void count_failure();
  void fail(const std::string& reason);

  const std::string name_;
  const VideoSettings video_;
  const EncoderSettings settings_;
  const Publish publish_;
  const OpenEncoder open_;
  RateTarget target_;
  FrameSkip skip_;
  GroupInbox inbox_;

  // Used by the group's thread only.
  TsMuxer muxer_;
  ContainerHeaders container_headers_;
  media::HeadersPtr headers_;         ///< of the newest keyframe
  std::optional<media::Pts> newest_;  ///< picture
  base::Duration interval_{};         ///< of the newest two
  Scaler scaler_;
  std::unique_ptr<Encoder> encoder_;
  media::PictureFormat format_;  ///< of encoder_
  base::BitRate rate_;           ///< of encoder_
  bool opened_ = false;          ///< encoder_ has given nothing yet
  base::Time retry_{};           ///< no encoder is opened before
  OperatingPoint point_;         ///< in force
  std::uint64_t keyframe_ = 0;   ///< number of the newest one
  base::LogPeriod failures_;

  mutable std::mutex mutex_;
  State state_;                            // GUARDED_BY(mutex_)
  KeyframeClock clock_;                    // GUARDED_BY(mutex_)
  std::optional<media::FrameRange> lost_;  // GUARDED_BY(mutex_); not mended yet
  RateMeter meter_;                        // GUARDED_BY(mutex_)
  OperatingPoint next_point_;              // GUARDED_BY(mutex_)

  std::thread thread_;  ///< last: it uses all of the above
};

EncodeGroup::Impl::Impl(std::string name, const VideoSettings& video, const AudioSettings& audio,
                        EncoderSettings encoder, base::BitRate initial, OperatingPoint point,
                        Publish publish, OpenEncoder open)
    : name_{std::move(name)},
      video_{video},
      settings_{std::move(encoder)},
      publish_{std::move(publish)},
      open_{std::move(open)},
      target_{initial},
      muxer_{name_, settings_.codec, audio.enabled},
      container_headers_{audio.enabled},
      clock_{settings_.keyframe_interval, settings_.forced_keyframe_interval},
      next_point_{point},
      thread_{[this] { run(); }} {}

EncodeGroup::Impl::~Impl() {
  inbox_.close();
  thread_.join();
}

void EncodeGroup::Impl::set_point(OperatingPoint point) {
  std::lock_guard lock{mutex_};
  next_point_ = point;
}

void EncodeGroup::Impl::recover(media::FrameRange lost) {
  std::lock_guard lock{mutex_};
  if (!lost_) lost_ = lost;
  lost_ = {std::min(lost_->first, lost.first), std::max(lost_->last, lost.last)};
}

media::Pts EncodeGroup::Impl::schedule_keyframe(media::Pts earliest) {
  std::lock_guard lock{mutex_};
  return clock_.schedule(earliest);
}

EncodeGroup::State EncodeGroup::Impl::state() const {
  std::lock_guard lock{mutex_};
  State state = state_;
  state.target = target_.get();
  state.actual = meter_.rate(base::Clock::now());
  state.frames_late = inbox_.frames_dropped();
  state.audio_dropped = inbox_.audio_dropped();
  return state;
}

void EncodeGroup::Impl::run() {
  pthread_setname_np(pthread_self(), "encode");
  give_way();
  while (const auto item = inbox_.pop()) {
    std::visit([this](const auto& frame) { handle(frame); }, *item);
    std::lock_guard lock{mutex_};
    state_.encode_time = base::thread_cpu_time();
  }
}

void EncodeGroup::Impl::handle(const media::FramePtr& source) {
  if (leave_out(*source)) return;
  if (skip_.take()) return skip(*source);
  const auto& from = source->format;
  const auto whole = fit_picture({from.width, from.height}, video_);
  const auto frame = scaler_.scale(source, scale_picture(whole, point_.scale));
  if (!frame) return fail("the picture cannot be scaled");
  if (!prepare(frame->format)) return;
  follow_target();
  recover_lost(frame->pts);
  auto picture = encoder_->encode(*frame, begin_picture(frame->pts));
  if (!picture) return fail_picture(picture.error());
  publish_frame(*frame, std::move(*picture));
}

void EncodeGroup::Impl::handle(const media::AudioFramePtr& frame) {
  auto bytes = muxer_.mux(*frame);
  if (!bytes) return fail(bytes.error());
  media::Packet packet;
  packet.kind = media::Packet::Kind::kAudio;
  packet.number = frame->number;
  packet.pts = frame->pts;
  packet.duration = kAacDuration;
  packet.captured = frame->encoded;
  packet.unit = frame->bytes;
  packet.ts = std::move(*bytes);
  publish(std::move(packet));
}

/// True when the operating point, which may be a new one, does without this picture.
bool EncodeGroup::Impl::leave_out(const media::Frame& frame) {
  std::lock_guard lock{mutex_};
  point_ = next_point_;
  const bool left_out = frame.number % point_.every != 0;
  state_.frames_left_out += left_out;
  return left_out;
}

void EncodeGroup::Impl::skip(const media::Frame& frame) {
  if (encoder_) encoder_->skip(frame.pts);
  std::lock_guard lock{mutex_};
  ++state_.frames_skipped;
}

/// Makes sure that there is an encoder for `format`.
bool EncodeGroup::Impl::prepare(const media::PictureFormat& format) {
  if (encoder_ && format == format_) return true;
  const auto now = base::Clock::now();
  if (now < retry_) {
    count_failure();
    return false;
  }
  rate_ = target_.get();
  format_ = format;
  opened_ = true;
  try {
    encoder_ = open_(settings_, format, video_.max_frame_rate / point_.every, rate_);
  } catch (const std::exception& error) {
    encoder_.reset();
    retry_ = now + kRetry;
    fail(error.what());
  }
  return encoder_ != nullptr;
}

void EncodeGroup::Impl::follow_target() {
  const auto rate = target_.get();
  if (rate == rate_) return;
  rate_ = rate;
  encoder_->retarget(rate);
  std::lock_guard lock{mutex_};
  ++state_.retargets;
}

/// The picture at `pts` recovers from what has been lost, or a keyframe will.
void EncodeGroup::Impl::recover_lost(media::Pts pts) {
  std::lock_guard lock{mutex_};
  const auto lost = std::exchange(lost_, std::nullopt);
  if (!lost || opened_ || keyframe_ > lost->last) return;
  if (encoder_->recover(lost->first)) {
    ++state_.recovers_from;
  } else {
    clock_.schedule_recovery(pts);
  }
}

/// True when the picture at `pts` is to be a keyframe.
bool EncodeGroup::Impl::begin_picture(media::Pts pts) {
  std::lock_guard lock{mutex_};
  const auto cause = clock_.take(pts, opened_);
  state_.keyframes_forced += cause == KeyframeClock::Cause::kScheduled;
  return cause != KeyframeClock::Cause::kNone;
}

/// Later pictures may refer to this one, which nobody gets: a new encoder begins with a keyframe.
void EncodeGroup::Impl::fail_picture(const std::string& reason) {
  encoder_.reset();
  if (opened_) retry_ = base::Clock::now() + kRetry;
  fail(reason);
}

/// As long as the last one: at a steady rate that is so.
base::Duration EncodeGroup::Impl::until_next(media::Pts pts) {
  const base::Duration usual = base::from_seconds(point_.every / video_.max_frame_rate);
  if (interval_ == base::Duration{}) interval_ = usual;
  if (newest_ && pts > *newest_ && pts - *newest_ < 4 * usual) interval_ = pts - *newest_;
  newest_ = pts;
  return interval_;
}

void EncodeGroup::Impl::publish_frame(const media::Frame& frame, EncodedFrame picture) {
  auto bytes = muxer_.mux(picture, frame.pts);
  if (!bytes) return fail_picture(bytes.error());
  if (picture.keyframe && settings_.codec == VideoCodec::kH264) {
    try {
      headers_ = container_headers_.update(picture.bytes, frame.format);
    } catch (const std::exception& error) {
      return fail_picture(error.what());
    }
  }
  opened_ = false;
  if (picture.keyframe) keyframe_ = frame.number;
  {
    std::lock_guard lock{mutex_};
    meter_.add(base::Clock::now(),
               base::ByteCount{static_cast<std::int64_t>(picture.bytes.size())});
    ++state_.frames;
    state_.keyframes += picture.keyframe;
    state_.format = frame.format;
    state_.psnr = picture.psnr;
  }
  media::Packet packet;
  packet.keyframe = picture.keyframe;
  packet.recovers_from = picture.recovers_from;
  packet.number = frame.number;
  packet.pts = frame.pts;
  packet.captured = frame.captured;
  packet.rate = rate_;
  packet.target = picture.target;
  packet.psnr = picture.psnr;
  packet.duration = until_next(frame.pts);
  if (picture.keyframe) packet.headers = headers_;
  packet.unit = std::move(picture.bytes);
  packet.ts = std::move(*bytes);
  publish(std::move(packet));
}

void EncodeGroup::Impl::publish(media::Packet packet) {
  {
    std::lock_guard lock{mutex_};
    state_.bytes += packet.ts.size();
  }
  publish_(std::make_shared<const media::Packet>(std::move(packet)));
}

void EncodeGroup::Impl::count_failure() {
  std::lock_guard lock{mutex_};
  ++state_.failures;
}

void EncodeGroup::Impl::fail(const std::string& reason) {
  count_failure();
  if (const auto times = failures_.count(base::Clock::now())) {
    base::log::error("encoder_failed", {{"stream", name_}, {"reason", reason}, {"times", *times}});
  }
}

EncodeGroup::EncodeGroup(std::string name, VideoSettings video, AudioSettings audio,
                         EncoderSettings encoder, base::BitRate initial, OperatingPoint point,
                         Publish publish, OpenEncoder open)
    : impl_{std::make_unique<Impl>(std::move(name), video, audio, std::move(encoder), initial,
                                   point, std::move(publish), std::move(open))} {}
EncodeGroup::~EncodeGroup() = default;

void EncodeGroup::push(media::FramePtr frame) { impl_->inbox().push(std::move(frame)); }
void EncodeGroup::push(media::AudioFramePtr frame) { impl_->inbox().push(std::move(frame)); }
void EncodeGroup::retarget(base::BitRate rate) { impl_->retarget(rate); }
void EncodeGroup::set_point(OperatingPoint point) { impl_->set_point(point); }
void EncodeGroup::skip(unsigned pictures) { impl_->skip(pictures); }
void EncodeGroup::recover(media::FrameRange lost) { impl_->recover(lost); }

media::Pts EncodeGroup::schedule_keyframe(media::Pts earliest) {
  return impl_->schedule_keyframe(earliest);
}

EncodeGroup::State EncodeGroup::state() const { return impl_->state(); }

}  // namespace transcoder
