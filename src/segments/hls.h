#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/units.h"

/// HTTP Live Streaming playlists (draft-pantos-hls-rfc8216bis, here "bis") of fragmented MP4.
/// Values and pure functions. URIs are relative to the playlist, and need no escaping. `query`:
/// what every URI ends with, such as "?token=1"; may be empty.
namespace segments {

struct HlsPart {
  base::Duration duration{};
  bool independent = false;  ///< begins with a keyframe, or is audio
};

struct HlsSegment {
  std::uint64_t number = 0;
  base::Duration duration{};  ///< so far
  std::chrono::system_clock::time_point began{};
  std::vector<HlsPart> parts;  ///< empty for a segment 3 targets from the end (bis 6.2.2)
  std::uint64_t init = 0;      ///< number of the initialization section it needs
};

/// A rendition report: how far another media playlist of this stream has come.
struct HlsRendition {
  std::string uri;  ///< relative to the playlist that contains the report
  std::uint64_t last_msn = 0;
  std::optional<unsigned> last_part;  ///< nullopt if it has no parts
};

/// The segments and parts of one rendition that a player may load now. REQUIRES: segment numbers
/// have no gap, and `open` is the last.
struct MediaPlaylist {
  base::Duration target{};       ///< the same in all of a stream's playlists; no segment is longer
  base::Duration part_target{};  ///< longest part; all but a segment's last last 85 % of it
  std::vector<HlsSegment> segments;  ///< complete ones, oldest first
  std::optional<HlsSegment> open;    ///< the segment being made, with its parts so far
  /// The part that comes next: its segment's number and its own.
  std::optional<std::pair<std::uint64_t, unsigned>> hint;
  /// How often the time has jumped, with no segment of before in the playlist (RFC 8216, 4.3.3.3).
  unsigned discontinuities = 0;
  std::vector<HlsRendition> reports;  ///< on all other renditions (bis B.1)
  std::string query;
};

/// The playlist in M3U8 format.
std::string text(const MediaPlaylist& playlist);

/// One rate of the video.
struct Variant {
  std::string uri;
  base::BitRate peak;  ///< of any segment, audio included (bis 4.4.6.2)
  base::BitRate average;
  int width = 0;  ///< pixels
  int height = 0;
  double frame_rate = 0;    ///< per second; 0 if unknown
  std::string video_codec;  ///< RFC 6381: "avc1.64001f"
};

struct MultivariantPlaylist {
  std::vector<Variant> variants;         ///< players tend to start with the first
  std::optional<std::string> audio_uri;  ///< nullopt if the variants contain the audio, if any
  std::string audio_codec;               ///< "mp4a.40.2"; empty without audio
  std::string query;
};

/// The playlist in M3U8 format.
std::string text(const MultivariantPlaylist& playlist);

}  // namespace segments
