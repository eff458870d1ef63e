#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "transcoder/settings.h"

/// Quantities as strings with a unit: "300ms", "1.5M" (bit/s), "16KiB"; and picture sizes.
namespace app {

/// Whole nanoseconds, bits per second or bytes; nullopt if the string is not of that form. A value
/// too large for the type becomes the type's maximum.
std::optional<base::Duration> parse_duration(std::string_view text);
std::optional<base::BitRate> parse_rate(std::string_view text);
std::optional<base::ByteCount> parse_size(std::string_view text);
/// "1920x1080": two whole numbers up to 99999.
std::optional<transcoder::PictureSize> parse_dimensions(std::string_view text);

/// In the largest unit that leaves at most three decimals: 1500000 bit/s is "1.5M".
std::string text_of(base::Duration duration);
std::string text_of(base::BitRate rate);
std::string text_of(base::ByteCount size);
std::string text_of(transcoder::PictureSize size);

/// A TOML basic string.
std::string in_quotes(std::string_view text);

}  // namespace app
