#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "transcoder/settings.h"

namespace transcoder {

/// The size in the header of an encoded picture that `data` begins with, for formats whose parsers
/// and decoders take memory for the whole picture before they announce its size. `format` is a
/// media type of GStreamer. nullopt for other formats, and for data without a size. A pure
/// function.
std::optional<PictureSize> size_in_header(std::string_view format,
                                          std::span<const std::uint8_t> data);

}  // namespace transcoder
