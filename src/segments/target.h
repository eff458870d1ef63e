#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace segments {

/// What a player chooses among.
struct Rendition {
  enum class Kind { kAuto, kRung, kAudio };  ///< kAuto: the server chooses each segment's rate

  Kind kind = Kind::kAuto;
  unsigned rung = 0;  ///< of kRung: counts from the highest rate

  auto operator<=>(const Rendition&) const = default;
  std::string text() const;  ///< "auto", "v0", "audio"
  static std::optional<Rendition> parse(std::string_view text);
};

/// A path that segment players ask for:
///
///   /STREAM/index.m3u8, /STREAM/manifest.mpd       where a session begins
///   /STREAM/SESSION/manifest.mpd                   where a player of DASH loads it again
///   /STREAM/SESSION/RENDITION/playlist.m3u8
///   /STREAM/SESSION/RENDITION/init-ID.mp4, init.mp4
///   /STREAM/SESSION/RENDITION/NUMBER.m4s           a segment
///   /STREAM/SESSION/RENDITION/NUMBER.PART.m4s      a part of it
struct Target {
  enum class Kind { kMultivariant, kManifest, kPlaylist, kInit, kNewestInit, kSegment, kPart };

  Kind kind = Kind::kMultivariant;
  std::string stream;
  std::string session;  ///< 16 lower-case hexadecimal digits; empty where one begins
  Rendition rendition;
  std::uint64_t number = 0;  ///< of a segment; of kInit: the ID
  unsigned part = 0;

  /// `path`: decoded. Empty: it is none of these.
  static std::optional<Target> parse(std::string_view path);
  const char* content_type() const;
};

}  // namespace segments
