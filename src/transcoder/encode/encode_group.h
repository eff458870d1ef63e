#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "media/frame.h"
#include "media/packet.h"
#include "transcoder/encode/encoder.h"
#include "transcoder/encode/open_encoder.h"
#include "transcoder/settings.h"

namespace transcoder {

/// One encoder, its muxer and the thread they run on: scale, encode, mux, publish. The rate target
/// is read before each frame. Frames wait in a queue of 2 that drops the oldest when the encoder is
/// late. All methods are thread-safe.
class EncodeGroup {
 public:
  using Publish = std::function<void(media::PacketPtr)>;  ///< called on the group's thread

  struct State {
    base::BitRate target;         ///< video rate asked for
    base::BitRate actual;         ///< video bits of the last second
    media::PictureFormat format;  ///< as encoded
    std::uint64_t frames = 0;
    std::uint64_t frames_skipped = 0;   ///< not encoded: asked for by skip
    std::uint64_t frames_left_out = 0;  ///< not encoded: the operating point has fewer
    std::uint64_t frames_late = 0;      ///< dropped before encoding: the encoder was late
    std::uint64_t audio_dropped = 0;
    std::uint64_t keyframes = 0;         ///< all
    std::uint64_t keyframes_forced = 0;  ///< of them, asked for by schedule_keyframe
    std::uint64_t retargets = 0;
    std::uint64_t recovers_from = 0;  ///< pictures coded without those that a viewer lacks
    std::uint64_t failures = 0;    ///< pictures and audio frames lost to scaler, encoder or muxer
    std::uint64_t bytes = 0;       ///< container bytes published
    base::Duration encode_time{};  ///< thread CPU time spent, total
    std::optional<media::Psnr> psnr;  ///< of the last picture, when measured
  };

  /// `name`: the stream's; it becomes the service name in MPEG-TS. Throws std::runtime_error.
  EncodeGroup(std::string name, VideoSettings video, AudioSettings audio, EncoderSettings encoder,
              base::BitRate initial, OperatingPoint point, Publish publish,
              OpenEncoder open = open_encoder);
  ~EncodeGroup();  ///< joins the thread

  void push(media::FramePtr frame);
  void push(media::AudioFramePtr frame);

  void retarget(base::BitRate rate);

  /// From the next picture on. Another size costs a new encoder and a keyframe, another frame rate
  /// neither.
  void set_point(OperatingPoint point);

  /// So many of the next pictures, of those that the operating point has, are not encoded; the
  /// latest call wins, 0 ends it.
  void skip(unsigned pictures);

  /// A viewer was never sent these pictures and takes nothing more before one that recovers from
  /// them, or a keyframe. The next picture refers to none of them or of those that came after;
  /// where they are too many for that, a keyframe does: at once, or forced_keyframe_interval after
  /// the last forced one. Costs other viewers of the group nothing but the bits of that picture.
  void recover(media::FrameRange lost);

  /// Sees to it that the first picture at or after the returned pts is a keyframe, and returns the
  /// first such pts that is not before `earliest`: that of a keyframe planned already, or one of
  /// its own, forced_keyframe_interval after the keyframe before it at least.
  media::Pts schedule_keyframe(media::Pts earliest);

  State state() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
