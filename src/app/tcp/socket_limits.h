#pragma once

#include "abr/rate_policy.h"
#include "app/config/config.h"
#include "base/units.h"
#include "media/container.h"
#include "transcoder/settings.h"

namespace app {

/// The highest rate of a stream on a connection: transport() at 60 frames/s, plus a tenth.
base::BitRate transport_rate(base::BitRate video, const transcoder::AudioSettings& audio);

/// The limits that are set on a viewer's socket.
struct SocketLimits {
  base::BitRate pacing;           ///< SO_MAX_PACING_RATE; zero leaves it as it is
  base::ByteCount notsent_lowat;  ///< TCP_NOTSENT_LOWAT
};

/// The limits for a viewer that is sent `video`.
base::BitRate pacing_limit(base::BitRate video, const transcoder::AudioSettings& audio,
                           const TcpSettings& tcp);
/// At least `time` of the video.
base::ByteCount notsent_limit(base::BitRate video, base::Duration time, const TcpSettings& tcp);

/// The rate on the wire as a function of the video rate. MPEG-TS carries 184 bytes in each 188;
/// every container adds bytes to each video frame and to each of 47 audio frames per second, for
/// MPEG-TS about 130 and 60.
abr::Transport transport(const transcoder::AudioSettings& audio, media::Container container,
                         base::Duration frame_interval);

/// Sets the limits. Returns null, or the name of the option that the kernel refused, with errno
/// set.
const char* apply(const SocketLimits& limits, int fd);

}  // namespace app
