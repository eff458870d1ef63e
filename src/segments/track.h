#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/units.h"
#include "media/container.h"
#include "media/packet.h"
#include "segments/segment_clock.h"

namespace segments {

/// A CMAF chunk: consecutive frames, or audio frames, of one segment. Immutable and shared by all
/// responses that send it. The first call of bytes() makes the bytes. Thread-safe.
class Part : public std::enable_shared_from_this<Part> {
 public:
  /// `end`: when the next part begins. `origin`: the media time of pts 0. REQUIRES: `packets` is
  /// not empty.
  Part(std::vector<media::PacketPtr> packets, media::Pts end, std::uint64_t sequence,
       base::Duration origin)
      : packets_{std::move(packets)},
        end_{end},
        sequence_{sequence},
        origin_{origin},
        captured_{packets_.back()->captured} {}

  std::span<const media::PacketPtr> packets() const { return packets_; }
  media::Pts begin() const { return packets_.front()->pts; }
  media::Pts end() const { return end_; }
  base::Duration duration() const { return end_ - begin(); }
  base::Time captured() const { return captured_; }  ///< of the last frame, left out or not
  bool independent() const;                          ///< begins with a keyframe, or is audio
  /// This part with `packets` in place of its own. REQUIRES: they have the same times, but some may
  /// be missing; the first begins when this part does.
  std::shared_ptr<const Part> with(std::vector<media::PacketPtr> packets) const {
    auto part = std::make_shared<Part>(std::move(packets), end_, sequence_, origin_);
    part->captured_ = captured_;
    return part;
  }
  /// This part with its media times `by` later. REQUIRES: a shared_ptr owns it.
  std::shared_ptr<const Part> later(base::Duration by) const {
    if (by == base::Duration{}) return shared_from_this();
    auto part = std::make_shared<Part>(packets_, end_, sequence_, origin_ + by);
    part->captured_ = captured_;
    return part;
  }
  std::span<const std::uint8_t> bytes() const;  ///< they live as long as the part

 private:
  const std::vector<media::PacketPtr> packets_;
  const media::Pts end_;
  const std::uint64_t sequence_;
  const base::Duration origin_;
  base::Time captured_;
  media::LazyBytes bytes_;
};
using PartPtr = std::shared_ptr<const Part>;

/// A segment as far as it has been made. A value; copies share the parts.
struct Segment {
  std::uint64_t number = 0;
  media::Pts begin{};
  std::vector<PartPtr> parts;
  bool complete = false;
  bool cut = false;           ///< complete, but cut short: its group was closed
  media::HeadersPtr headers;  ///< of its first keyframe; null for audio
  std::uint64_t init = 0;     ///< of its initialization section: SegmentStore::init_of
  base::BitRate rate;         ///< highest target rate of its frames
  base::Time captured{};      ///< when its first frame was captured

  media::Pts end() const { return parts.empty() ? begin : parts.back()->end(); }
  base::Duration duration() const { return end() - begin; }
};

/// `segment` with its frames re-encoded. REQUIRES: one packet per frame, with the frame's times.
/// `init`: number of the new packets' headers.
Segment with(Segment segment, std::span<const media::PacketPtr> packets, std::uint64_t init);

/// Turns the frames of one encode group, or a stream's audio frames, into segments. Keeps the last
/// `window` segments, and only those whose start it has seen. Not thread-safe.
class Track {
 public:
  Track(SegmentClock clock, std::size_t window) : clock_{clock}, window_{window} {}

  /// `init`: number of the packet's headers, if it has any. Returns whether a part was completed or
  /// a segment begun. REQUIRES: packets come in order; the first frame is a keyframe.
  bool push(const media::PacketPtr& packet, std::uint64_t init = 0);
  /// No packet follows: completes the open segment as it is.
  void end();
  void forget_before(std::uint64_t number);

  const Segment* find(std::uint64_t number) const;
  /// The packets of the part being made.
  std::span<const media::PacketPtr> being_made() const { return pending_; }
  const Segment* newest() const { return segments_.empty() ? nullptr : &segments_.back(); }
  std::uint64_t oldest() const { return segments_.front().number; }  ///< REQUIRES: !empty()
  bool empty() const { return segments_.empty(); }

 private:
  media::Pts end_before(std::uint64_t number, media::Pts pts) const;
  bool is_whole(const media::Packet& first) const;
  void begin_segment(const media::PacketPtr& first, std::uint64_t init);
  void close_part(media::Pts end);

  const SegmentClock clock_;
  const std::size_t window_;
  std::deque<Segment> segments_;           ///< ascending; only the last one may be incomplete
  std::vector<media::PacketPtr> pending_;  ///< packets of the part being made
  std::optional<std::uint64_t> number_;    ///< of the segment being made, kept or not
};

}  // namespace segments
