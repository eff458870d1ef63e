#pragma once

#include "base/units.h"

namespace segments {

/// Whether the server chooses a segment's rate, from the state of the player's connections, or the
/// player does.
enum class Choice { kServer, kPlayer };

/// Settings for HLS and DASH, with the built-in defaults.
struct Settings {
  bool enabled = true;
  base::Duration part = std::chrono::milliseconds{400};
  base::Duration window = std::chrono::seconds{30};  ///< how long a segment stays available
  Choice choice = Choice::kServer;                   ///< used unless the player asks for the other
  bool operator==(const Settings&) const = default;
};

}  // namespace segments
