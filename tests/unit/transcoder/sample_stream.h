#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pictures.h"
#include "transcoder/encode/aac_encoder.h"
#include "transcoder/encode/encoder.h"
#include "transcoder/encode/ts_muxer.h"

namespace transcoder::test {

/// A real MPEG-TS stream of video and AAC, generated unit by unit: moving pictures of 320x180 at 30
/// frames/s, with a keyframe every 30 frames, and a tone of 1 kHz.
class SampleStream {
 public:
  explicit SampleStream(media::Pts start = {}, bool audio = true,
                        base::BitRate rate = base::BitRate::kbps(500),
                        VideoCodec codec = VideoCodec::kH264,
                        base::BitRate audio_rate = base::BitRate::kbps(128));

  EncodedFrame frame(bool keyframe = false);
  media::AudioFrame audio_frame();

  std::vector<std::uint8_t> video(bool keyframe = false);
  std::vector<std::uint8_t> audio();
  /// `count` seconds of video and audio in the order of time.
  std::vector<std::uint8_t> seconds(int count);

  int audio_frames() const { return static_cast<int>(audio_frames_); }
  double elementary_bytes() const { return elementary_bytes_; }

 private:
  media::Pts frame_pts() const {
    return start_ + media::Pts{std::chrono::seconds{1}} * frames_ / 30;
  }

  const media::Pts start_;
  const bool has_audio_;
  Pictures source_{Content::kMoving, 320, 180};
  std::unique_ptr<Encoder> encoder_;
  AacEncoder aac_;
  TsMuxer muxer_;
  std::int64_t frames_ = 0;
  std::int64_t block_;
  std::uint64_t audio_frames_ = 0;
  media::Pts audio_pts_{};
  double elementary_bytes_ = 0;
};

}  // namespace transcoder::test
