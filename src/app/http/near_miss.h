#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Paths that people guess, as other servers have them. Pure functions.
namespace app {

/// The path that was probably meant by `path`, which this server does not have: "/live/index.m3u8"
/// for "/live.m3u8", "/hls/live.m3u8" or "/live/playlist.m3u8", "/live.flv" for "/live/live.flv".
/// nullopt if it names none of the `streams`.
std::optional<std::string> near_miss(std::string_view path,
                                     const std::vector<std::string>& streams);

/// The path `to` as a reference relative to the path `from`, so that it works below a proxy's own
/// path: "../live.ts" for "/live.ts" from "/a/b".
std::string relative_path(std::string_view from, std::string_view to);

/// "there is no stream "lvie"", with the likeliest one.
std::string unknown_stream(const std::string& name, const std::vector<std::string>& streams);

}  // namespace app
