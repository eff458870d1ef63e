#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/log_period.h"
#include "media/audio_frame.h"
#include "media/frame.h"
#include "media/packet.h"
#include "transcoder/encode/audio_choice.h"
#include "transcoder/encode/container_headers.h"
#include "transcoder/encode/encode_pause.h"
#include "transcoder/encode/encoder.h"
#include "transcoder/encode/group_inbox.h"
#include "transcoder/encode/keyframe_clock.h"
#include "transcoder/encode/open_encoder.h"
#include "transcoder/encode/rate_meter.h"
#include "transcoder/encode/rate_target.h"
#include "transcoder/encode/ts_muxer.h"
#include "transcoder/picture/scaler.h"
#include "transcoder/settings.h"

namespace transcoder {

/// One encoder, its muxer and the thread they run on: scale, encode, mux, publish. Reads the rate
/// target before each frame. When the encoder is late, GroupInbox drops the oldest pictures.
/// Thread-safe.
class EncodeGroup {
 public:
  using Publish = std::function<void(media::PacketPtr)>;  ///< called on the group's thread

  struct State {
    base::BitRate target;         ///< requested video rate
    base::BitRate actual;         ///< video rate of the last second
    base::BitRate audio;          ///< audio rate in use; 0 without audio
    media::PictureFormat format;  ///< as encoded
    std::uint64_t frames = 0;
    std::uint64_t frames_skipped = 0;    ///< not encoded because of pause()
    base::Duration paused{};             ///< media time of those frames
    std::uint64_t frames_left_out = 0;   ///< not encoded at a reduced frame rate (OperatingPoint)
    std::uint64_t frames_late = 0;       ///< dropped before encoding because the encoder was late
    std::uint64_t audio_dropped = 0;     ///< audio frames dropped because the encoder was late
    std::uint64_t keyframes = 0;         ///< all keyframes
    std::uint64_t keyframes_forced = 0;  ///< keyframes caused by schedule_keyframe() or recover()
    std::uint64_t retargets = 0;
    std::uint64_t recoveries = 0;     ///< recovery frames encoded
    std::uint64_t failures = 0;       ///< frames and audio frames lost in scaler, encoder or muxer
    std::uint64_t bytes = 0;          ///< MPEG-TS bytes published
    base::Duration encode_time{};     ///< CPU time of the thread, total
    std::optional<media::Psnr> psnr;  ///< of the last frame, if measured
  };

  /// `name` is the stream's name, used as the service name in MPEG-TS. Throws std::runtime_error.
  EncodeGroup(std::string name, VideoSettings video, AudioSettings audio, EncoderSettings encoder,
              base::BitRate initial, OperatingPoint point, Publish publish,
              OpenEncoder open = open_encoder);
  ~EncodeGroup();  ///< joins the thread
  EncodeGroup(const EncodeGroup&) = delete;
  EncodeGroup& operator=(const EncodeGroup&) = delete;

  void push(media::FramePtr frame) { inbox_.push(std::move(frame)); }
  void push(media::AudioFramePtr frame) { inbox_.push(std::move(frame)); }

  /// Takes effect with the next frame.
  void retarget(base::BitRate rate) { target_.set(rate); }

  /// See Encoder::set_effort().
  void set_effort(std::size_t effort) { effort_.store(effort, std::memory_order_relaxed); }

  /// Takes the audio of this rung of audio_rates(), 0 the highest, which a new group has; the
  /// lowest if there are fewer. Takes effect with the first frame that has the rung and follows
  /// without a click, as a rule within 0.1 s.
  void set_audio(std::size_t rung);
  /// The rungs that the group takes or wants. Empty without audio.
  media::AudioRungs audio_rungs() const;

  /// Takes effect with the next frame. A new size needs a new encoder, which begins with a
  /// keyframe; a new frame rate needs neither.
  void set_point(OperatingPoint point);

  /// Does not encode the frames that come before `until`. The latest call wins; a time that has
  /// passed ends the pause.
  void pause(base::Time until) { pause_.set(until); }

  /// A viewer was not sent the frames `lost` and cannot continue before a recovery frame or a
  /// keyframe. The next frame refers neither to `lost` nor to later frames. If the encoder has no
  /// older reference, a keyframe follows instead: at once, or forced_keyframe_interval after the
  /// last forced one. Other viewers of the group pay only the bits of that frame.
  void recover(media::FrameRange lost);

  /// Makes the first frame at or after the returned pts a keyframe. Returns the earliest possible
  /// such pts that is not before `earliest`: of a keyframe that is planned already, or of a new
  /// one, at least forced_keyframe_interval after the keyframe before it. Ends a pause, because it
  /// is for viewers who join.
  media::Pts schedule_keyframe(media::Pts earliest);

  State state() const;

 private:
  void run();
  void handle(const media::FramePtr& source);
  void handle(const media::AudioFramePtr& frame);
  void skip_frame(const media::Frame& source, media::Pts before);
  bool leave_out(const media::Frame& source);
  double rate_to_state(const media::Frame& frame) const;
  bool states_wrong_rate(const media::Frame& frame) const;
  bool prepare_encoder(const media::Frame& frame);
  void follow_target();
  void follow_effort();
  void recover_lost(media::Pts pts);
  bool take_keyframe(media::Pts pts);
  void fail_frame(const std::string& reason);
  void publish_frame(const media::Frame& source, EncodedFrame frame);
  base::Duration until_next(media::Pts pts);
  void publish(media::Packet packet);
  void count_failure();
  void fail(const std::string& reason);

  const std::string name_;
  const VideoSettings video_;
  const EncoderSettings settings_;
  const Publish publish_;
  const OpenEncoder open_;
  const std::vector<base::BitRate> audio_rates_;  ///< empty without audio
  RateTarget target_;
  std::atomic<std::size_t> audio_wanted_ = 0;  ///< a rung
  std::atomic<std::size_t> audio_now_ = 0;     ///< the rung of the newest audio frame
  std::atomic<std::size_t> effort_ = kFirstEffort;
  EncodePause pause_;
  GroupInbox inbox_;

  // Used by the group's thread only.
  std::optional<media::Pts> previous_;  ///< of the newest frame that the operating point includes
  AudioChoice audio_choice_;
  TsMuxer muxer_;
  ContainerHeaders container_headers_;
  media::HeadersPtr headers_;         ///< of the newest keyframe
  std::optional<media::Pts> newest_;  ///< pts of the newest frame
  base::Duration interval_{};         ///< between the newest two frames
  Scaler scaler_;
  std::unique_ptr<Encoder> encoder_;
  media::PictureFormat format_;            ///< of encoder_
  double stated_rate_ = 0;                 ///< frames per second for which encoder_ was opened
  media::Pts keyframe_pts_{};              ///< of the newest keyframe
  base::BitRate rate_;                     ///< of encoder_
  std::size_t effort_now_ = kFirstEffort;  ///< of encoder_
  bool opened_ = false;                    ///< encoder_ has not produced a frame yet
  base::Time retry_{};                     ///< no encoder is opened before this time
  OperatingPoint point_;                   ///< in effect
  std::uint64_t keyframe_ = 0;             ///< number of the newest keyframe
  base::LogPeriod failures_;

  mutable std::mutex mutex_;
  State state_;                            // GUARDED_BY(mutex_)
  KeyframeClock clock_;                    // GUARDED_BY(mutex_)
  std::optional<media::FrameRange> lost_;  // GUARDED_BY(mutex_); not recovered yet
  RateMeter meter_;                        // GUARDED_BY(mutex_)
  OperatingPoint next_point_;              // GUARDED_BY(mutex_)

  std::thread thread_;  ///< last, because it uses everything above
};

}  // namespace transcoder
