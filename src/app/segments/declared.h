#pragma once

#include "base/units.h"

/// What players are told of a rate: in playlists and manifests, and by CMSD's `mb`, which they hold
/// against these.
namespace app {

// What a segment has beside its frames: headers of chunks, and what the encoder's rate buffer
// lets it exceed its rate by.
inline base::BitRate declared_peak(base::BitRate rate) { return 1.1 * rate; }
inline base::BitRate declared_mean(base::BitRate rate) { return 1.03 * rate; }

}  // namespace app
