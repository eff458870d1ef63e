#pragma once

#include "base/units.h"

namespace segments {

/// Who chooses the rate of a segment: the server, by the player's connections, or the player.
enum class Choice { kServer, kPlayer };

/// Of HLS and DASH. The values are the built-in defaults.
struct Settings {
  bool enabled = true;
  base::Duration part = std::chrono::milliseconds{400};
  base::Duration window = std::chrono::seconds{30};  ///< how long a segment is kept
  Choice choice = Choice::kServer;                   ///< where a player does not ask for the other
  bool operator==(const Settings&) const = default;
};

}  // namespace segments
