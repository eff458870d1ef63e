#pragma once

#include <optional>

#include "abr/observation.h"
#include "base/units.h"

namespace sim {

/// The fate of one captured frame.
struct FrameRecord {
  base::Time captured{};
  base::BitRate target;                 ///< the policy's rate at that time
  std::optional<base::Time> arrived{};  ///< the viewer has all of it; nullopt: skipped or dropped
  base::ByteCount size;                 ///< of the video; zero: skipped
};

/// The simulated wire format: app::transport() with 128 kbit/s of audio at 30 frames per second.
inline constexpr abr::Transport kTransport{.factor = 188.0 / 184,
                                           .fixed = base::BitRate::kbps(153 + 130 * 8 * 30 / 1e3)};

}  // namespace sim
