#include "app/tcp/socket_limits.h"

#include <algorithm>

#include "tcpinfo/socket_control.h"

namespace app {

namespace {

// x264's frames exceed their share by up to this factor now and then (bench/encoder). A larger one
// weakens pacing; with a smaller one large frames queue behind it.
constexpr double kLargeFrameFactor = 1.1;
// 60 frames/s, the highest of common frame rates: a lower one would pace a 60 frames/s stream below
// its rate, a higher one would pace every stream more loosely.
constexpr base::Duration kShortestFrameInterval = std::chrono::microseconds{16'667};
// AAC: 1024 samples at 48 kHz (ISO/IEC 14496-3).
constexpr base::Duration kAudioFrameInterval = std::chrono::microseconds{21'333};

/// The overhead of a container, including the HTTP chunk around a frame and its audio frames.
struct Overhead {
  double factor;          ///< of the payload
  base::ByteCount frame;  ///< per video frame
  base::ByteCount audio;  ///< per audio frame
};

Overhead overhead(media::Container container) {
  switch (container) {
    case media::Container::kFlv:
      return {1, base::ByteCount{30}, base::ByteCount{17}};
    case media::Container::kMp4:
      return {1, base::ByteCount{120}, base::ByteCount{108}};
    case media::Container::kMpegTs:
      break;
  }
  return {188.0 / 184, base::ByteCount{130}, base::ByteCount{60}};
}

}  // namespace

base::BitRate transport_rate(base::BitRate video, const transcoder::AudioSettings& audio) {
  return kLargeFrameFactor *
         transport(audio, media::Container::kMpegTs, kShortestFrameInterval).wire(video);
}

base::BitRate pacing_limit(base::BitRate video, const transcoder::AudioSettings& audio,
                           const TcpSettings& tcp) {
  return tcp.pacing * transport_rate(video, audio);
}

base::ByteCount notsent_limit(base::BitRate video, base::Duration time, const TcpSettings& tcp) {
  return std::max(tcp.notsent_lowat, video * time);
}

abr::Transport transport(const transcoder::AudioSettings& audio, media::Container container,
                         base::Duration frame_interval) {
  const Overhead over = overhead(container);
  const auto audio_headers = base::BitRate::of(over.audio, kAudioFrameInterval);
  const auto on_wire = audio.enabled ? over.factor * audio.rate + audio_headers : base::BitRate{};
  return {.factor = over.factor, .fixed = on_wire + base::BitRate::of(over.frame, frame_interval)};
}

const char* apply(const SocketLimits& limits, int fd) {
  if (!tcpinfo::set_notsent_lowat(fd, limits.notsent_lowat)) return "TCP_NOTSENT_LOWAT";
  if (limits.pacing.bps() > 0 && !tcpinfo::set_max_pacing_rate(fd, limits.pacing)) {
    return "SO_MAX_PACING_RATE";
  }
  return nullptr;
}

}  // namespace app
