#include "transcoder/encode/audio_choice.h"

#include <algorithm>

namespace transcoder {

std::optional<std::size_t> AudioChoice::choose(const media::AudioFrame& frame,
                                               std::size_t wanted) const {
  const auto& rungs = frame.rungs;
  const auto has = [&](std::size_t rung) { return !rungs[rung].bytes.empty(); };
  if (has(wanted) && (!rung_ || rungs[wanted].follows(window_))) return wanted;
  if (rung_ && has(*rung_)) return rung_;
  const auto any = std::ranges::find_if(rungs, [](const auto& r) { return !r.bytes.empty(); });
  if (any == rungs.end()) return std::nullopt;
  return static_cast<std::size_t>(any - rungs.begin());
}

std::optional<std::size_t> AudioChoice::take(const media::AudioFrame& frame, std::size_t wanted) {
  const auto chosen = choose(frame, wanted);
  if (!chosen) return std::nullopt;
  rung_ = chosen;
  window_ = frame.rungs[*chosen].ends;
  return chosen;
}

}  // namespace transcoder
