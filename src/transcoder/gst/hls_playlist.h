#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transcoder {

/// Edits the media playlist of one URL on its way to hlsdemux (GStreamer 1.22), which reads an
/// initialization section only once, and never plays numbers that it has played:
///
///   another EXT-X-MAP            its section is listed as a segment
///   numbers that begin again     are continued, after a discontinuity
///
/// So the numbers differ from those of the origin. Playlists with encryption, whose keys may depend
/// on them, and what is no media playlist stay as they are. No I/O, no clock.
class HlsPlaylist {
 public:
  std::string edit(std::string_view text);

  /// How often numbers have begun again.
  std::uint64_t restarts() const { return restarts_; }

 private:
  struct Segment {
    std::vector<std::string_view> tags;
    std::string_view uri;
    std::string_view range;  ///< of EXT-X-BYTERANGE
    std::string_view map;    ///< attributes of EXT-X-MAP
    std::int64_t number = 0;
  };
  struct Text;

  /// A segment of the newest playlist.
  struct Known {
    std::string uri;
    std::string range;
    std::string map;
    std::int64_t number = 0;
    std::int64_t shown = 0;  ///< its number for hlsdemux
    bool begins = false;     ///< its section is listed before it
  };

  const Known* find(std::int64_t number) const;
  bool goes_on(const std::vector<Segment>& segments) const;
  std::vector<Known> number(const std::vector<Segment>& segments, bool restarted) const;

  std::vector<Known> known_;
  std::uint64_t restarts_ = 0;
};

}  // namespace transcoder
