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

/// The last segments of one stream: those of each encode group, including groups closed since, and
/// the audio, which is the same in every group. Keeps the newest `window` segment numbers; older
/// segments are dropped from all tracks. Thread-safe.
class SegmentStore {
 public:
  using TrackId = std::uint64_t;  ///< of a group's video; unlike a group's index, never reused

  SegmentStore(SegmentClock clock, std::size_t window) : clock_{clock}, window_{window} {}

  const SegmentClock& clock() const { return clock_; }
  std::size_t window() const { return window_; }

  /// REQUIRES: packets of one group come in order, from one thread.
  void publish(std::uint32_t group, const media::PacketPtr& packet);
  void close(std::uint32_t group);
  /// Drops the segments of closed groups. Call when no group is left open: the next viewer must not
  /// receive segments from before the pause.
  void forget_closed();

  /// The track of an open group; nullopt before its first frame.
  std::optional<TrackId> track(std::uint32_t group) const;
  /// The segment as far as it has been made; nullopt if there is none.
  std::optional<Segment> video(TrackId track, std::uint64_t number) const;
  std::optional<Segment> audio(std::uint64_t number) const;
  /// A track that has begun a segment, and the segment's rate.
  struct Holder {
    TrackId track;
    base::BitRate rate;
  };
  /// All holders of a segment. Those that hold it cut short only if no other does.
  std::vector<Holder> holders(std::uint64_t number) const;
  /// Whether a segment that no group has begun may still come. Players ask ahead of time.
  bool is_due(std::uint64_t number) const;
  /// Whether a segment of this number is in the window, or due.
  bool is_current(std::uint64_t number) const;
  /// Whether the segment has left the window.
  bool has_expired(std::uint64_t number) const;
  /// The number by which players ask for the video of `headers`: Segment::init. A hash of the
  /// content, so that it is the same after a restart, and on another server.
  std::uint64_t init_of(const media::HeadersPtr& headers);
  /// The headers with number `init`, or null.
  media::HeadersPtr headers(std::uint64_t init) const;
  /// The headers of the largest frames so far, or null.
  media::HeadersPtr largest() const;
  /// The oldest segment that a group holds; `with_audio`, the oldest one that also has audio.
  std::optional<std::uint64_t> oldest(bool with_audio) const;
  /// The newest segment that a group holds from its first frame on.
  std::optional<std::uint64_t> newest() const;
  /// How often the time has jumped beyond the window, as it does when the process was stopped.
  unsigned discontinuities() const;
  /// Changes with every new part or segment.
  std::uint64_t revision() const { return revision_.load(std::memory_order_acquire); }

 private:
  void begin_segment(std::uint64_t number);
  bool is_open(TrackId track) const;
  Track& track_of(std::uint32_t group);
  std::uint64_t add_init(const media::HeadersPtr& headers);

  const SegmentClock clock_;
  const std::size_t window_;
  std::atomic<std::uint64_t> revision_{0};
  mutable std::mutex mutex_;                 // guards all members below
  std::map<std::uint32_t, TrackId> groups_;  ///< open ones
  std::map<TrackId, Track> video_;
  std::optional<Track> audio_;
  std::optional<std::uint64_t> newest_audio_;  ///< Packet::number of the newest audio frame
  std::optional<std::uint64_t> newest_;        ///< number of the newest segment
  unsigned discontinuities_ = 0;
  TrackId last_track_ = 0;
  std::map<std::uint64_t, media::HeadersPtr>
      inits_;  ///< by Segment::init; one per frame size and one for audio
  std::uint64_t audio_init_ = 0;
};

}  // namespace segments
