#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "media/packet.h"
#include "transcoder/picture/picture_size.h"
#include "transcoder/settings.h"

namespace transcoder {

/// What a segment is to become.
struct Recoding {
  base::BitRate rate;  ///< at most
  PictureSize size;    ///< at most
  double frame_rate = 30;
  bool audio = false;  ///< of the stream, for Headers
};

/// The pictures of a segment coded anew, with the same numbers and times: "on the fly", as Kotaru
/// (2014) has a server code what a player asks for. The first is a keyframe, and all that it needs
/// to be decoded is in it. Takes as long as two thirds of coding them live. Any thread.
base::Result<std::vector<media::PacketPtr>> recode(std::span<const media::PacketPtr> pictures,
                                                   const EncoderSettings& settings,
                                                   const Recoding& wanted);

}  // namespace transcoder
