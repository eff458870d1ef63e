#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "media/container.h"
#include "media/packet.h"
#include "segments/segment_clock.h"

namespace segments {

/// A CMAF chunk: consecutive frames, or audio frames, of one segment. Immutable, shared by
/// everybody who is sent it; its bytes are made when they are first asked for. Thread-safe.
class Part {
 public:
  /// `end`: when what follows begins. REQUIRES: there are packets.
  Part(std::vector<media::PacketPtr> packets, media::Pts end, std::uint64_t sequence)
      : packets_{std::move(packets)}, end_{end}, sequence_{sequence} {}

  std::span<const media::PacketPtr> packets() const { return packets_; }
  media::Pts begin() const { return packets_.front()->pts; }
  media::Pts end() const { return end_; }
  base::Duration duration() const { return end_ - begin(); }
  base::Time captured() const { return packets_.back()->captured; }
  bool independent() const;  ///< begins with a keyframe, or is audio
  /// With other packets, of the same times.
  std::shared_ptr<const Part> with(std::vector<media::PacketPtr> packets) const {
    return std::make_shared<const Part>(std::move(packets), end_, sequence_);
  }
  std::span<const std::uint8_t> bytes() const;  ///< they live as long as the part

 private:
  const std::vector<media::PacketPtr> packets_;
  const media::Pts end_;
  const std::uint64_t sequence_;
  media::LazyBytes bytes_;
};
using PartPtr = std::shared_ptr<const Part>;

/// A segment as far as it has been made: a value, though its parts are shared.
struct Segment {
  std::uint64_t number = 0;
  media::Pts begin{};
  std::vector<PartPtr> parts;
  bool complete = false;
  bool cut = false;           ///< complete, but its group was closed before its end
  media::HeadersPtr headers;  ///< of the keyframe it begins with; null: audio
  std::uint64_t init = 0;     ///< their number (SegmentStore::headers); audio goes with any
  base::BitRate rate;         ///< highest target of its frames
  base::Time captured{};      ///< when its first frame was

  media::Pts end() const { return parts.empty() ? begin : parts.back()->end(); }
  base::Duration duration() const { return end() - begin; }
};

/// `segment` with its frames coded anew: one packet for each, of the same times. `init`: of their
/// headers.
Segment with(Segment segment, std::span<const media::PacketPtr> packets, std::uint64_t init);

/// The frames of one encode group, or a stream's audio frames → segments. Keeps those that are
/// whole: whose begin it has seen. Not thread-safe.
class Track {
 public:
  Track(SegmentClock clock, std::size_t window) : clock_{clock}, window_{window} {}

  /// In order; the first frame is a keyframe. `init`: of its headers, if it has any. True: a part
  /// is complete, or a segment has begun.
  bool push(const media::PacketPtr& packet, std::uint64_t init = 0);
  /// Nothing follows: the segment under way ends with what there is of it.
  void end();
  void forget_before(std::uint64_t number);

  const Segment* find(std::uint64_t number) const;
  const Segment* newest() const { return segments_.empty() ? nullptr : &segments_.back(); }
  std::uint64_t oldest() const { return segments_.front().number; }  ///< REQUIRES: !empty()
  bool empty() const { return segments_.empty(); }

 private:
  bool is_whole(const media::Packet& first) const;
  void begin_segment(const media::PacketPtr& first, std::uint64_t init);
  void close_part(media::Pts end);

  const SegmentClock clock_;
  const std::size_t window_;
  std::deque<Segment> segments_;           ///< rising; only the last one may be incomplete
  std::vector<media::PacketPtr> pending_;  ///< of the part under way
  std::optional<std::uint64_t> number_;    ///< of the segment under way, whole or not
};

}  // namespace segments
