#pragma once

#include "abr/rate_policy.h"
#include "app/config/config.h"
#include "base/units.h"
#include "media/container.h"
#include "transcoder/settings.h"

namespace app {

/// What a stream takes on a connection at most: transport(), at 60 frames/s, and a tenth more.
/// Pure.
base::BitRate transport_rate(base::BitRate video, const transcoder::AudioSettings& audio);

/// What the kernel is told of a viewer's socket.
struct SocketLimits {
  base::BitRate pacing;  ///< SO_MAX_PACING_RATE; zero: none
  base::ByteCount notsent_lowat;
};

/// For the rate of the video that the viewer is sent. Pure.
base::BitRate pacing_limit(base::BitRate video, const transcoder::AudioSettings& audio,
                           const TcpSettings& tcp);
base::ByteCount notsent_limit(base::BitRate video, const TcpSettings& tcp);

/// What a video rate becomes on the wire: MPEG-TS carries 184 bytes in 188, and every container
/// adds to each frame and to each of 47 audio frames per second, MPEG-TS about 130 and 60 bytes.
abr::Transport transport(const transcoder::AudioSettings& audio, media::Container container,
                         base::Duration frame_interval);

/// Tells the kernel. Returns the option that it refuses, with errno; null: none.
const char* apply(const SocketLimits& limits, int fd);

}  // namespace app
