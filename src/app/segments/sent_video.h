#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/units.h"
#include "segments/gap.h"
#include "segments/track.h"

namespace app {

/// The video that a live segment player has been sent, and what is left out of the parts that
/// follow when its path has become slower. A part made at the old rate would keep the player
/// waiting, with audio, for longer than it lasts: the player gets its first frame instead, and goes
/// on at the next keyframe or recovery frame. No I/O, no clock. Not thread-safe.
class SentVideo {
 public:
  /// In part durations. The player has not asked for a part as soon as it was made if the part is
  /// older when it is sent, unless they have only just received the one before it.
  static constexpr int kLiveParts = 2;

  /// `part`: segments::SegmentClock::part.
  explicit SentVideo(base::Duration part) : part_{part} {}

  struct Next {
    segments::PartPtr part;
    /// Frames that are left out from now on: of this part, and maybe of the one after it.
    std::optional<segments::Gap> gap{};
  };
  /// SegmentStore::being_made of the segment's track. Called only for a part that would be late.
  using BeingMade = std::function<std::vector<media::PacketPtr>()>;
  /// The player is about to be sent part `index` of `segment`; returns what to send. `carries`: the
  /// rate of the player's connections, if it is known.
  Next next(const segments::Segment& segment, std::size_t index, const BeingMade& being_made,
            std::optional<base::BitRate> carries, base::Time now);
  /// The frames that have been made and not been sent: complete parts, and
  /// SegmentStore::being_made.
  struct Unsent {
    std::vector<segments::PartPtr> parts;
    std::vector<media::PacketPtr> being_made;
  };
  /// The frame from which on a recovery frame should refer to none, so that the frames until then
  /// can be left out. nullopt if those since the last recovery frame take no longer to load than a
  /// part lasts.
  std::optional<std::uint64_t> lost(const Unsent& unsent, base::BitRate carries) const;
  /// The segment and the part that were sent last.
  struct Place {
    std::uint64_t segment = 0;
    std::size_t part = 0;
  };
  const std::optional<Place>& last() const { return last_; }

 private:
  bool is_live(const segments::Part& part, base::BitRate carries, base::Time now) const;
  bool is_late(const segments::Part& part, base::BitRate carries, base::Time now) const;

  const base::Duration part_;
  std::optional<Place> last_;
  base::Time sent_at_{};  ///< the last part
  base::ByteCount size_;  ///< of it
  bool live_ = false;     ///< the player wanted the last part as soon as it was made
  std::optional<segments::Gap> gap_;
};

}  // namespace app
