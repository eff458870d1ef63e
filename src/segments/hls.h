#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"

/// HTTP Live Streaming playlists (draft-pantos-hls-rfc8216bis, here "bis") of fragmented MP4: each
/// a pure function of what it lists. URIs are relative to the playlist, and need no escaping.
namespace segments {

struct HlsPart {
  base::Duration duration{};
  bool independent = false;  ///< has a keyframe, or is audio
};

struct HlsSegment {
  std::uint64_t number = 0;
  base::Duration duration{};  ///< of what is there
  std::chrono::system_clock::time_point began{};
  std::vector<HlsPart> parts;  ///< empty: not listed, as is due 3 targets from the end (bis 6.2.2)
  std::uint64_t init = 0;      ///< which initialization section it needs
};

/// How far another media playlist of the same stream is.
struct HlsRendition {
  std::string uri;  ///< relative to the playlist that tells of it
  std::uint64_t last_msn = 0;
  std::optional<unsigned> last_part;  ///< empty: it has no parts
};

/// What a player may load of one rendition now. REQUIRES: numbers without a gap, `open` the last.
struct MediaPlaylist {
  base::Duration target{};       ///< the same in all of a stream's playlists; no segment is longer
  base::Duration part_target{};  ///< likewise of parts; all but a segment's last have 85 % of it
  std::vector<HlsSegment> segments;  ///< complete ones, oldest first
  std::optional<HlsSegment> open;    ///< under way: its parts so far
  /// The part that comes next, by the number of its segment and its own.
  std::optional<std::pair<std::uint64_t, unsigned>> hint;
  std::vector<HlsRendition> reports;  ///< of all other renditions (bis B.1)
};

std::string text(const MediaPlaylist& playlist);

/// One rate of the frames.
struct Variant {
  std::string uri;
  base::BitRate peak;  ///< of any segment, audio included (bis 4.4.6.2)
  base::BitRate average;
  int width = 0;
  int height = 0;
  double frame_rate = 0;
  std::string video_codec;  ///< RFC 6381: "avc1.64001f"
};

struct MultivariantPlaylist {
  std::vector<Variant> variants;         ///< a player may begin with the first
  std::optional<std::string> audio_uri;  ///< empty: what audio there is, is in the variants
  std::string audio_codec;               ///< "mp4a.40.2"; empty: no audio
};

std::string text(const MultivariantPlaylist& playlist);

}  // namespace segments
