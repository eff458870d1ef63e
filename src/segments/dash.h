#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"

namespace segments {

struct Representation {
  std::string id;  ///< without spaces
  base::BitRate bandwidth;
  int width = 0;  ///< this and the two below: of frames only
  int height = 0;
  double frame_rate = 0;
  std::string codec;  ///< RFC 6381: "avc1.64001f"
};

/// A live stream's MPD (ISO/IEC 23009-1) of CMAF segments that are equally long: number n holds
/// media time from n * segment on. Neither end of one is off by more than half of
/// that (DASH-IF timing model, simple addressing).
struct Manifest {
  std::chrono::system_clock::time_point start{};    ///< wall time of media time 0; never changes
  std::chrono::system_clock::time_point publish{};  ///< of what follows
  base::Duration segment{};
  base::Duration chunk{};   ///< what is sent as it is made; as long as `segment`: whole segments
  base::Duration window{};  ///< how long a segment is kept
  std::string location;     ///< where players load it again; empty: where they had it from
  std::string base_url;     ///< of all segments, and of `utc_timing_uri`; empty: the manifest's
  std::vector<Representation> video;
  std::optional<Representation> audio;
  std::string utc_timing_uri;       ///< answers with the time, as utc_text; empty: none
  base::Duration target_latency{};  ///< from capture to display, in players that know chunks
};

/// How far behind live a player begins that waits for whole segments, and so needs one more to have
/// as much in hand as those that know chunks; where these play, Latency says (Annex K).
base::Duration presentation_delay(const Manifest& manifest);

std::string text(const Manifest& manifest);

}  // namespace segments
