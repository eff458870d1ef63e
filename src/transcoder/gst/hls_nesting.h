#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace transcoder {

/// Finds multivariant playlists of HLS that are named as a variant: hlsdemux expects a media
/// playlist there, and does not say what it got. No I/O, no clock.
class HlsNesting {
 public:
  /// Takes a playlist that was read from `url`. Returns why the source has to end, for its
  /// operator; an empty text if it need not.
  std::string check(const std::string& url, std::string_view text);

 private:
  std::deque<std::string> variants_;  ///< URLs that playlists have named, the newest at the end
};

}  // namespace transcoder
