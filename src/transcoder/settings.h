#pragma once

#include <string>

#include "base/units.h"

/// What the operator chooses for one stream; filled by app from the configuration.
/// The values here are the built-in defaults, the same as in config/symcast.toml.
namespace transcoder {

struct SourceSettings {
  /// `test:`, `file:PATH`, `gst:LAUNCH TEXT`, or any URI that GStreamer plays.
  std::string uri = "test:";
  /// A source that delivers no picture for this long is restarted.
  base::Duration silence_timeout = std::chrono::seconds{5};
  /// Wait before a restart: doubles from min to max, with ±25 % jitter.
  base::Duration backoff_min = std::chrono::milliseconds{500};
  base::Duration backoff_max = std::chrono::seconds{30};
  /// Jitter buffer of network sources that have one (RTSP, SRT, RTP).
  base::Duration latency = std::chrono::milliseconds{200};

  bool operator==(const SourceSettings&) const = default;
};

struct VideoSettings {
  int max_width = 1280;        ///< pixels; larger pictures are scaled down, keeping their shape
  int max_height = 720;        ///< pixels
  double max_frame_rate = 30;  ///< frames per second; faster sources lose frames evenly

  bool operator==(const VideoSettings&) const = default;
};

/// What is left of `VideoSettings` at a low rate. Every n-th picture is that of Frame::number, so
/// all groups of a stream have the same ones.
struct OperatingPoint {
  double scale = 1;    ///< of width and of height
  unsigned every = 1;  ///< of so many pictures one is encoded

  bool operator==(const OperatingPoint&) const = default;
};

struct AudioSettings {
  bool enabled = true;  ///< one AAC track, silent where the source has no audio
  base::BitRate rate = base::BitRate::kbps(128);

  bool operator==(const AudioSettings&) const = default;
};

enum class VideoCodec { kH264, kMpeg2 };

struct EncoderSettings {
  VideoCodec codec = VideoCodec::kH264;
  std::string preset = "veryfast";  ///< of x264; no other encoder has one
  double crf = 18;  ///< quality aimed at while the rate allows: x264's CRF, on its scale for others
  base::Duration vbv = std::chrono::milliseconds{60};          ///< rate buffer at the target rate
  base::Duration keyframe_interval = std::chrono::seconds{2};  ///< clock common to all groups
  base::Duration forced_keyframe_interval = std::chrono::seconds{1};  ///< least time between forced
  int threads = 1;                                                    ///< per group
  bool psnr = false;  ///< measure PSNR of each picture (costs CPU)

  bool operator==(const EncoderSettings&) const = default;
};

struct StreamSettings {
  std::string name = "live";
  SourceSettings source;
  VideoSettings video;
  AudioSettings audio;
  EncoderSettings encoder;

  bool operator==(const StreamSettings&) const = default;
};

}  // namespace transcoder
