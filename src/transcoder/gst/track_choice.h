#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace transcoder {

/// One of the audio tracks of a source, as the source describes it.
struct AudioTrack {
  std::string language;            ///< ISO 639-1 or 639-2 code; empty if unknown
  bool marked_default = false;     ///< by the container
  bool visually_impaired = false;  ///< an audio description
};

/// The index of the track to play; nullopt if there is none. `wanted` is as in
/// SourceSettings::audio. Without a wish, or for a number or language that the source does not
/// have, this is the track marked as default, otherwise the first one. An audio description is
/// chosen only if there is no other track.
std::optional<std::size_t> choose_audio(std::span<const AudioTrack> tracks,
                                        const std::string& wanted);

}  // namespace transcoder
