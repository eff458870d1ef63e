#include "transcoder/gst/track_choice.h"

#include <algorithm>
#include <charconv>

namespace transcoder {

namespace {

/// A higher rank is played rather than a lower one.
int rank(const AudioTrack& track, const std::string& language) {
  int result = 0;
  if (!language.empty() && track.language == language) result += 4;
  if (!track.visually_impaired) result += 2;
  if (track.marked_default) result += 1;
  return result;
}

std::optional<std::size_t> number(const std::string& text) {
  std::size_t result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return result;
}

}  // namespace

std::optional<std::size_t> choose_audio(std::span<const AudioTrack> tracks,
                                        const std::string& wanted) {
  if (tracks.empty() || wanted == "none") return std::nullopt;
  const auto nth = number(wanted);
  if (nth && *nth >= 1 && *nth <= tracks.size()) return *nth - 1;
  const auto best = std::ranges::max_element(
      tracks, {}, [&](const AudioTrack& track) { return rank(track, nth ? "" : wanted); });
  return static_cast<std::size_t>(best - tracks.begin());
}

}  // namespace transcoder
