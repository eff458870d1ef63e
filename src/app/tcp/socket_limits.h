#pragma once

#include "app/config/config.h"
#include "base/units.h"
#include "transcoder/settings.h"

namespace app {

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

/// Sets the limits. Returns null, or the name of the option that the kernel refused, with errno
/// set.
const char* apply(const SocketLimits& limits, int fd);

}  // namespace app
