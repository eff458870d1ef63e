#pragma once

#include <string>

#include "transcoder/settings.h"

namespace transcoder {

/// Whether a source may send pictures of this size: neither side may exceed the longer side of
/// `most`, nor the area that of `most`, so an upright picture may be as large. The rest of a
/// codec's last block is not counted: a picture of 1080 rows has 1088 in a decoder. A pure
/// function.
bool is_picture_allowed(PictureSize picture, PictureSize most);

/// The reason for the end of a source that sends a larger one.
std::string picture_refusal(PictureSize picture, PictureSize most);

}  // namespace transcoder
