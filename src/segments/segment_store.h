#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "segments/track.h"

namespace segments {

/// The last segments of one stream: of each of its encode groups, those closed since included, and
/// of its audio, which is the same in all of them. Bounded: `window` segments of a track, and no
/// older ones anywhere. Thread-safe.
class SegmentStore {
 public:
  using TrackId = std::uint64_t;  ///< of a group's frames; never reused, as a group's index is

  SegmentStore(SegmentClock clock, std::size_t window) : clock_{clock}, window_{window} {}

  const SegmentClock& clock() const { return clock_; }
  std::size_t window() const { return window_; }

  /// Packets of one group come in order, from one thread.
  void publish(std::uint32_t group, const media::PacketPtr& packet);
  void close(std::uint32_t group);
  /// Nobody has watched for a while: what closed groups have left is of the past.
  void forget_closed();

  std::optional<TrackId> track(std::uint32_t group) const;  ///< of an open group with frames
  std::optional<Segment> video(TrackId track, std::uint64_t number) const;
  std::optional<Segment> audio(std::uint64_t number) const;
  /// Who has begun it, and at which rate; whose group was closed before its end only if nobody
  /// else.
  struct Holder {
    TrackId track;
    base::BitRate rate;
  };
  std::vector<Holder> holders(std::uint64_t number) const;
  /// A segment that nobody has begun yet may still come: players ask for it ahead of its time.
  bool is_due(std::uint64_t number) const;
  /// It has left the window.
  bool is_over(std::uint64_t number) const;
  /// The number by which players ask for `headers`: Segment::init.
  std::uint64_t init_of(const media::HeadersPtr& headers);
  /// Null: there are none.
  media::HeadersPtr headers(std::uint64_t init) const;
  /// Of the largest frames that there have been; null: there were none.
  media::HeadersPtr largest() const;
  /// The oldest segment that a group still has, `with_audio`: and that has audio. Empty: none.
  std::optional<std::uint64_t> oldest(bool with_audio) const;
  /// The newest segment that a group has begun whole.
  std::optional<std::uint64_t> newest() const;
  /// Another one: there are further parts or segments.
  std::uint64_t revision() const { return revision_.load(std::memory_order_acquire); }

 private:
  void begin_segment(std::uint64_t number);
  bool is_open(TrackId track) const;
  Track& track_of(std::uint32_t group);
  std::uint64_t known(const media::HeadersPtr& headers);

  const SegmentClock clock_;
  const std::size_t window_;
  std::atomic<std::uint64_t> revision_{0};
  mutable std::mutex mutex_;                 // guards all below
  std::map<std::uint32_t, TrackId> groups_;  ///< open ones
  std::map<TrackId, Track> video_;
  std::optional<Track> audio_;
  std::optional<std::uint64_t> newest_audio_;  ///< number of the newest
  std::optional<std::uint64_t> newest_;
  TrackId last_track_ = 0;
  /// All that differ, by Segment::init: few, one for each size of the frames.
  std::vector<media::HeadersPtr> inits_;
};

}  // namespace segments
