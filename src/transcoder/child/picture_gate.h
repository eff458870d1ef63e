#pragma once

#include <functional>
#include <string>

#include "transcoder/settings.h"

namespace transcoder {

/// The second line of defence against pictures that are too large, behind guard_pictures(): the
/// size for which a decoder takes memory may differ from the one that it announces (H.264's crop).
/// `refuse` is called with the reason, on any thread. Call before the first decoder.
void limit_pictures(PictureSize most, std::function<void(std::string)> refuse);

/// Whether a decoder may take memory for pictures of this size. Ends the source if not.
bool may_decode(unsigned width, unsigned height);

}  // namespace transcoder
