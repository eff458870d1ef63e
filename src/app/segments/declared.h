#pragma once

#include "base/units.h"

/// The bandwidth declared to players for a target rate: in playlists and manifests, and in CMSD's
/// `mb`, which players compare with those.
namespace app {

// A segment exceeds its target rate by the headers of its chunks, and by as much as the encoder's
// rate buffer allows.
inline base::BitRate declared_peak(base::BitRate rate) { return 1.1 * rate; }
inline base::BitRate declared_mean(base::BitRate rate) { return 1.03 * rate; }

}  // namespace app
