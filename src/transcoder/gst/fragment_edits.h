#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/units.h"

namespace transcoder {

/// Computes how much later a track's data is presented than a qtdemux says, from the fragmented MP4
/// that enters it. qtdemux applies decoding times and composition offsets, but ignores the edit
/// list (GStreamer 1.22). No I/O, no clock.
///
///   presentation = decoding time + composition offset + empty edits - begin of the edit
///   qtdemux      = decoding time + composition offset + largest negative composition offset
class FragmentEdits {
 public:
  /// The next bytes of the file.
  void push(std::span<const std::uint8_t> bytes);
  /// Bytes are missing: the next ones begin a box.
  void restart();

  /// The presentation time of a track's data less the time that qtdemux gives them.
  base::Duration shift(int track) const;

 private:
  using Bytes = std::span<const std::uint8_t>;

  void read_box();
  void read_movie(Bytes moov);
  void read_track(Bytes trak, std::uint32_t movie_scale);
  void read_fragment(Bytes moof);

  struct Track {
    std::uint32_t scale = 1;       ///< ticks per second
    base::Duration edit{};         ///< empty edits less the begin of the first other one
    std::int64_t composition = 0;  ///< largest negative offset of the newest fragment, in ticks
  };

  std::map<int, Track> tracks_;      ///< by track_ID
  std::vector<std::uint8_t> box_;    ///< header, or all so far, of the box that is being received
  std::uint64_t skipped_bytes_ = 0;  ///< still to come, of a box that does not matter
};

}  // namespace transcoder
