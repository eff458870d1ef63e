#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "segments/track.h"

namespace segments {

/// Frames that a late player can do without: those with numbers from `first` up to, but not
/// including, `next`. The frame `next` is a keyframe, or a recovery frame that refers to none of
/// them (media::Packet::recovers_from).
struct Gap {
  std::uint64_t first = 0;
  std::uint64_t next = 0;
  /// Whether frame `number` is one of them.
  bool has(std::uint64_t number) const { return first <= number && number < next; }
};

/// The longest gap that begins in part `index` of `segment`, after the part's first frame, and ends
/// in it, in the part after it or with the segment. nullopt if there is none. `being_made`:
/// SegmentStore::being_made of the segment's track.
std::optional<Gap> longest_gap(const Segment& segment, std::size_t index,
                               std::span<const media::PacketPtr> being_made);

/// `part` without the frames in `gap`: the frame before the gap is shown until the one after it. If
/// the part begins in the gap, the one after it is shown from the part's beginning. Null if no
/// frame is left.
PartPtr without(const PartPtr& part, const Gap& gap);

}  // namespace segments
