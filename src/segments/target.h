#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace segments {

/// One of the playlists that a player chooses from. A value.
struct Rendition {
  enum class Kind { kAuto, kRung, kAudio };  ///< kAuto: the server chooses each segment's rate

  Kind kind = Kind::kAuto;
  unsigned rung = 0;  ///< for kRung: 0 is the highest rate

  auto operator<=>(const Rendition&) const = default;
  std::string text() const;  ///< "auto", "v0", "audio"
  static std::optional<Rendition> parse(std::string_view text);
};

/// A path that a segment player asks for. A value.
///
///   /STREAM/index.m3u8, /STREAM/manifest.mpd       starts a session
///   /STREAM/SESSION/manifest.mpd                   reloads the DASH manifest
///   /STREAM/time, /STREAM/SESSION/time             the server's clock
///   /STREAM/SESSION/RENDITION/playlist.m3u8
///   /STREAM/SESSION/RENDITION/init-ID.mp4, init.mp4
///   /STREAM/SESSION/RENDITION/NUMBER.m4s           a segment
///   /STREAM/SESSION/RENDITION/NUMBER.PART.m4s      a part of it
struct Target {
  enum class Kind {
    kMultivariant,
    kManifest,
    kTime,
    kPlaylist,
    kInit,
    kNewestInit,
    kSegment,
    kPart
  };

  Kind kind = Kind::kMultivariant;
  std::string stream;
  std::string session;  ///< token of 16 lower-case hexadecimal digits; empty if a session starts
  Rendition rendition;
  std::uint64_t number = 0;  ///< of the segment; for kInit, the ID
  unsigned part = 0;

  /// Parses a percent-decoded path. nullopt if it has none of the forms above.
  static std::optional<Target> parse(std::string_view path);
  const char* content_type() const;
};

}  // namespace segments
