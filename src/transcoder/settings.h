#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "transcoder/allowed_place.h"

/// Settings of one stream, which app fills from the configuration. The values here are the built-in
/// defaults, as in config/symcast.toml.
namespace transcoder {

/// In luma pixels.
struct PictureSize {
  int width = 0;
  int height = 0;
  bool operator==(const PictureSize&) const = default;
};

struct SourceSettings {
  /// `test:`, `file:PATH`, `gst:LAUNCH TEXT`, or any URI that GStreamer plays.
  std::string uri = "test:";
  /// Number of the programme to play of a transport stream; 0 for the first one with pictures.
  int program = 0;
  /// The audio track to play: its number, from "1" on, its language, "none", or empty for the
  /// default track.
  std::string audio;
  /// Viewers wait for the first picture until the stream is this old.
  base::Duration first_picture_wait = std::chrono::seconds{10};
  /// The source is restarted after this time without a picture.
  base::Duration silence_timeout = std::chrono::seconds{5};
  /// The wait before a restart doubles from min to max (ingest/backoff.h).
  base::Duration backoff_min = std::chrono::milliseconds{500};
  base::Duration backoff_max = std::chrono::seconds{30};
  /// Jitter buffer of network sources that have one (RTSP, SRT, RTP).
  base::Duration latency = std::chrono::milliseconds{200};
  /// Limits of the source's process: its memory, and its share of all CPUs.
  base::ByteCount memory{512 << 20};
  double cpu = 0.75;
  /// The largest picture that it may send (PictureLimit).
  PictureSize max_size{8192, 4320};
  /// Places that it may open besides its own host and public addresses.
  std::vector<AllowedPlace> allow;

  bool operator==(const SourceSettings&) const = default;
};

struct VideoSettings {
  int max_width = 1280;        ///< pixels; larger pictures are scaled down, keeping their shape
  int max_height = 720;        ///< pixels
  double max_frame_rate = 30;  ///< pictures per second; see FrameRateLimit

  bool operator==(const VideoSettings&) const = default;
};

/// The reduction of size and frame rate at a low rate. Selects pictures by Frame::number, so all
/// groups of a stream with the same `every` encode the same ones.
struct OperatingPoint {
  double scale = 1;    ///< factor of width and of height
  unsigned every = 1;  ///< encodes the pictures whose number is a multiple of this

  bool operator==(const OperatingPoint&) const = default;
};

struct AudioSettings {
  bool enabled = true;  ///< adds one AAC track, silent where the source has no audio
  base::BitRate rate = base::BitRate::kbps(128);
  base::BitRate min_rate = base::BitRate::kbps(32);  ///< the lowest rate to fall to; audio_rates()

  bool operator==(const AudioSettings&) const = default;
};

enum class VideoCodec { kH264, kMpeg2 };

/// The preset that leaves the choice to the server.
inline constexpr std::string_view kAutoPreset = "auto";
/// The presets of x264 that it chooses from, by effort (Encoder::set_effort). Slower ones than
/// "fast" cost more and hardly improve live pictures (bench/presets).
inline constexpr std::array kAutoPresets{"superfast", "veryfast", "faster", "fast"};
inline constexpr std::size_t kFirstEffort = 1;

struct EncoderSettings {
  VideoCodec codec = VideoCodec::kH264;
  std::string preset = "veryfast";  ///< of x264, or kAutoPreset; other encoders ignore it
  double crf = 18;  ///< quality to aim for while the rate allows, on the scale of x264's CRF
  base::Duration vbv = std::chrono::milliseconds{60};          ///< rate buffer at the target rate
  base::Duration keyframe_interval = std::chrono::seconds{2};  ///< the same clock for all groups
  base::Duration forced_keyframe_interval = std::chrono::seconds{1};  ///< minimum between forced
  int threads = 1;                                                    ///< per group
  bool psnr = false;  ///< measures the PSNR of each frame (costs CPU)

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
