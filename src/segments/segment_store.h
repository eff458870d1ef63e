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

/// The last segments of one stream: those of each encode group, including groups closed since.
/// Keeps the newest `window` segment numbers; older segments are dropped from all tracks.
/// Thread-safe.
///
/// The audio has the same frames in every group, at one of several rates. It is also kept as all
/// groups make it together, each frame from the group that has it first: without a gap, however
/// groups open and close.
class SegmentStore {
 public:
  using TrackId =
      std::uint64_t;  ///< of a group's video and audio; unlike a group's index, never reused

  SegmentStore(SegmentClock clock, std::size_t window) : clock_{clock}, window_{window} {}

  const SegmentClock& clock() const { return clock_; }
  std::size_t window() const { return window_; }

  /// REQUIRES: packets of one group come in order, from one thread.
  void publish(std::uint32_t group, const media::PacketPtr& packet);
  void close(std::uint32_t group);
  /// Drops the segments of closed groups. Call when no group is left open: the next viewer must not
  /// receive segments from before the pause.
  void forget_closed();

  /// The track of an open group; nullopt before its first packet.
  std::optional<TrackId> track(std::uint32_t group) const;
  /// The segment as far as it has been made; nullopt if there is none.
  std::optional<Segment> video(TrackId track, std::uint64_t number) const;
  /// The frames of the part of `track` that is being made.
  std::vector<media::PacketPtr> being_made(TrackId track) const;
  /// The audio as all groups make it together.
  std::optional<Segment> audio(std::uint64_t number) const;
  /// The audio of `track`. If that lacks the start or, closed early, the end of the segment: of
  /// another track, or of all groups together. The parts of all have the same times.
  std::optional<Segment> audio(TrackId track, std::uint64_t number) const;
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
  struct Tracks {
    Track video;
    Track audio;
    bool empty() const { return video.empty() && audio.empty(); }
  };

  bool publish_audio(std::uint32_t group, const media::PacketPtr& packet);
  void begin_segment(std::uint64_t number);
  bool is_open(TrackId track) const;
  Tracks& tracks_of(std::uint32_t group);
  const Segment* find_audio(TrackId track, std::uint64_t number) const;
  std::uint64_t add_init(const media::HeadersPtr& headers);

  const SegmentClock clock_;
  const std::size_t window_;
  std::atomic<std::uint64_t> revision_{0};
  mutable std::mutex mutex_;                 // guards all members below
  std::map<std::uint32_t, TrackId> groups_;  ///< open ones
  std::map<TrackId, Tracks> tracks_;
  std::optional<Track> audio_;                 ///< of all groups together
  std::optional<std::uint64_t> newest_audio_;  ///< Packet::number of the newest audio frame
  std::optional<std::uint64_t> newest_;        ///< number of the newest segment
  unsigned discontinuities_ = 0;
  TrackId last_track_ = 0;
  std::map<std::uint64_t, media::HeadersPtr>
      inits_;  ///< by Segment::init; one per frame size and one for audio
  std::uint64_t audio_init_ = 0;
};

}  // namespace segments
