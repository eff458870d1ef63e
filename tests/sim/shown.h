#pragma once

#include <optional>

#include "abr/observation.h"
#include "base/units.h"

namespace sim {

/// What became of one captured frame.
struct Shown {
  base::Time captured{};
  base::BitRate target;                 ///< the policy's, when it was captured
  std::optional<base::Time> arrived{};  ///< at the viewer, whole; empty: skipped or dropped
  base::ByteCount size;                 ///< of the video; zero: skipped
};

/// What a video rate becomes on the wire here: app::transport() with 128 kbit/s of audio at
/// 30 frames/s.
inline constexpr abr::Transport kTransport{.factor = 188.0 / 184,
                                           .fixed = base::BitRate::kbps(153 + 130 * 8 * 30 / 1e3)};

}  // namespace sim
