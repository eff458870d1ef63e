#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "media/packet.h"
#include "transcoder/picture/picture_size.h"
#include "transcoder/settings.h"

namespace transcoder {

/// The wanted properties of a recoded segment.
struct Recoding {
  base::BitRate rate;      ///< at most
  PictureSize size;        ///< at most
  double frame_rate = 30;  ///< of the segment, in frames per second
  bool audio = false;      ///< whether the stream has audio, for media::Headers
};

/// Encodes the frames of a segment again, with the same numbers and times: "on the fly", as the
/// server of Kotaru (2014) does for a requested rate. The segment must begin with a keyframe; so
/// does the result. Takes two thirds of the time of encoding the frames live. Any thread.
base::Result<std::vector<media::PacketPtr>> recode(std::span<const media::PacketPtr> frames,
                                                   const EncoderSettings& settings,
                                                   const Recoding& wanted);

}  // namespace transcoder
