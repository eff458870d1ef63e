#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/units.h"
#include "transcoder/time/round_offsets.h"

namespace transcoder {

/// Keeps the tracks of one HLS or DASH source together. Each track has a demuxer of its own, whose
/// timeline begins with that track's first data; the times in the media say how far apart the
/// tracks really are:
///
///   timeline = media time + offset of the round, which is the same for all tracks
///
/// A round ends where the times in the media restart (EXT-X-DISCONTINUITY). The track that comes
/// there first chooses the offset, so that its own timeline goes on. Another one joins the later
/// round in which it is moved least; a track that begins, any round. Thread-safe: each track has
/// its thread. No I/O, no clock; one per source.
class FragmentClock {
 public:
  /// The place of one track.
  struct Track {
    std::size_t round = 0;
    base::Duration shift{};
    bool begun = false;
  };

  /// The shift of `running`, the time of data on the timeline of the track's demuxer. `media`:
  /// the same data's time in the media, which may wrap as the 33 bits of a transport stream do.
  base::Duration shift(Track& track, base::Duration media, base::Duration running);

  /// All timelines begin this late, so that a track that comes earlier has no negative times.
  static constexpr base::Duration kHeadroom = std::chrono::seconds{10};
  /// Tracks of one round begin at most this far apart: about a segment. Below kHeadroom.
  static constexpr base::Duration kMaxApart = std::chrono::seconds{9};
  /// A demuxer's timeline follows playlists, whose durations are rounded, in smaller steps. A
  /// larger one is a new round.
  static constexpr base::Duration kMaxStep = std::chrono::milliseconds{500};

 private:
  std::mutex mutex_;
  RoundOffsets offsets_;  // GUARDED_BY(mutex_)
};

/// Times in a transport stream wrap after 2^33 ticks of 90 kHz (ISO/IEC 13818-1, 2.4.3.7).
inline constexpr std::uint64_t kTsTimeMask = (std::uint64_t{1} << 33) - 1;
constexpr base::Duration ts_time(std::uint64_t ticks) {
  return base::Duration{static_cast<std::int64_t>(ticks) * 100'000 / 9};
}
inline constexpr base::Duration kTsWrap = ts_time(kTsTimeMask + 1);

/// `time` less a multiple of kTsWrap, as near to 0 as possible.
base::Duration unwrapped(base::Duration time);

}  // namespace transcoder
