#pragma once

#include <vector>

#include "abr/transport.h"
#include "base/units.h"
#include "media/container.h"
#include "transcoder/settings.h"

namespace app {

/// The rate of a stream on the wire, in one container. MPEG-TS carries 184 bytes in each 188; every
/// container adds bytes to each video frame and to each of 47 audio frames per second, for MPEG-TS
/// about 130 and 60. Small audio frames that leave in one write share headers (server/packager).
class WireFormat {
 public:
  WireFormat(const transcoder::AudioSettings& audio, media::Container container);

  /// The rate on the wire as a function of the video rate, with the audio that
  /// abr::audio_rung() gives it.
  abr::Transport transport(base::Duration frame_interval) const;

 private:
  const media::Container container_;
  std::vector<base::BitRate> rates_;  ///< of the audio, falling; empty without audio
};

/// The highest rate of a stream on a connection: in MPEG-TS at 60 frames/s with the highest audio
/// rate, plus a tenth.
base::BitRate transport_rate(base::BitRate video, const transcoder::AudioSettings& audio);

}  // namespace app
