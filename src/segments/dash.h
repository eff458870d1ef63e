#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "media/frame.h"

namespace segments {

/// One rate of the video, or the audio.
struct Representation {
  std::string id;  ///< without spaces
  base::BitRate bandwidth;
  int width = 0;          ///< pixels; video only
  int height = 0;         ///< pixels; video only
  double frame_rate = 0;  ///< per second; video only; 0 if unknown
  std::string codec;      ///< RFC 6381: "avc1.64001f"
};

/// The MPD (ISO/IEC 23009-1) of a live stream in CMAF segments of equal length. Segment n starts at
/// media time n * `segment`; its real start and end may differ by up to half of `segment` (DASH-IF
/// timing model, simple addressing). A value.
struct Manifest {
  std::chrono::system_clock::time_point epoch{};    ///< date of media time 0; never changes
  std::chrono::system_clock::time_point publish{};  ///< when the members below were last set
  base::Duration segment{};
  base::Duration chunk{};   ///< sent when it is complete; equals `segment` for whole segments
  base::Duration window{};  ///< how long a segment stays available
  std::string location;     ///< URL for reloads; if empty, the URL of the first request
  std::string base_url;     ///< of segments and `utc_timing_uri`; if empty, the manifest's own
  std::vector<Representation> video;
  media::PictureFormat format;  ///< of the video: shape of the samples, and colour
  std::optional<Representation> audio;
  std::string utc_timing_uri;  ///< a page with the time in the format of utc_text, or empty
  std::string query;           ///< the end of the URLs of media, such as "?token=1"; may be empty
  base::Duration target_latency{};  ///< from capture to display, in players that support chunks
};

/// How far behind live a player starts if it waits for whole segments. It needs one segment more
/// than players that support chunks to have as much buffered; those use Latency (Annex K).
base::Duration presentation_delay(const Manifest& manifest);

/// The manifest as XML.
std::string text(const Manifest& manifest);

}  // namespace segments
