#pragma once

#include <cstddef>
#include <string_view>

namespace app {

/// How many complete segments the player needs in its first playlist, by its user agent: one, but
/// two for GStreamer. Its client (1.22.0, hlsdemux2) looks a playlist's segments up in the next
/// playlist, all but the first one. After a playlist of one segment it has lost its place, and one
/// time in three it plays nothing.
std::size_t segments_to_begin(std::string_view user_agent);

}  // namespace app
