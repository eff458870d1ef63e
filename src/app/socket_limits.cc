#include "app/socket_limits.h"

#include <algorithm>

#include "tcpinfo/socket_control.h"

namespace app {

namespace {

// x264's pictures exceed their share by so much now and then (bench/encoder).
constexpr double kExcess = 1.1;
constexpr base::Duration kShortestFrame = std::chrono::microseconds{16'667};
// A picture must fit below the mark, or its rest would wait for a wake-up; 25 pictures/s are the
// slowest of common sources.
constexpr base::Duration kLongestFrame = std::chrono::milliseconds{40};

}  // namespace

base::BitRate transport_rate(base::BitRate video, const transcoder::AudioSettings& audio) {
  return kExcess * transport(audio, kShortestFrame).wire(video);
}

base::BitRate pacing_limit(base::BitRate video, const transcoder::AudioSettings& audio,
                           const TcpSettings& tcp) {
  return tcp.pacing * transport_rate(video, audio);
}

base::ByteCount notsent_limit(base::BitRate video, const TcpSettings& tcp) {
  return std::max(tcp.notsent_lowat, video * kLongestFrame);
}

abr::Transport transport(const transcoder::AudioSettings& audio, base::Duration frame_interval) {
  constexpr double kPacket = 188.0 / 184;
  constexpr base::ByteCount kPicture{130};
  constexpr base::BitRate kSounds = base::BitRate::kbps(47 * 60 * 8 / 1e3);
  const auto sound = audio.enabled ? kPacket * audio.rate + kSounds : base::BitRate{};
  return {.factor = kPacket, .fixed = sound + base::BitRate::of(kPicture, frame_interval)};
}

const char* apply(const SocketLimits& limits, int fd) {
  if (!tcpinfo::set_notsent_lowat(fd, limits.notsent_lowat)) return "TCP_NOTSENT_LOWAT";
  if (limits.pacing.bps() > 0 && !tcpinfo::set_max_pacing_rate(fd, limits.pacing)) {
    return "SO_MAX_PACING_RATE";
  }
  return nullptr;
}

}  // namespace app
