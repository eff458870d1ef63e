#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "base/units.h"

namespace transcoder {

/// Keeps the tracks of an RTSP source together until its sender reports do (RFC 3550, 6.4.1). Until
/// then each track has the times of its arrival, and a camera's encoder may hold pictures longer
/// than audio. RTP-Info in the answer to PLAY (RFC 2326, 12.33) names the time of each track at
/// which playing begins:
///
///   origin of a track = when that time would have arrived
///   offset of a track = latest origin of all tracks - its own
///
/// Cameras also say other things there. Arrival alone counts if the origins are more than kMaxHeld
/// apart, or if each track names its own first packet. Thread-safe: each track has its thread. No
/// I/O, no clock; one per connection.
class PlayStart {
 public:
  struct Claim {
    base::Duration origin{};
    base::Duration first{};  ///< of the track's first packet, after the time that RTP-Info names
  };

  /// Returns the number of the track.
  std::size_t add_track();
  /// By how much to delay a track. `claim` may change as the arrival is known better; `now` is the
  /// time of the track's newest packet.
  base::Duration offset(std::size_t track, const Claim& claim, base::Duration now);
  /// Sender reports have arrived.
  void stop();
  /// Whether offsets stay as they are from now on.
  bool settled(base::Duration now) const;

  /// The jitter buffer takes 2 s to learn how late packets are (rtpjitterbuffer: MAX_TIME), and
  /// follows later changes with a time constant of 125 packets: 2.7 s of AAC. If a busy machine
  /// reads the packets of those 2 s late, it needs this long to get over it. The clocks of the
  /// tracks drift apart by 2 ms meanwhile, at 200 ppm; in the long run only reports say how far.
  static constexpr base::Duration kSettling = std::chrono::seconds{10};
  /// Encoders of live pictures hold them for less.
  static constexpr base::Duration kMaxHeld = std::chrono::milliseconds{500};
  /// A first packet nearer than this is the one that is named: a picture of 20 per second.
  static constexpr base::Duration kMinFirst = std::chrono::milliseconds{50};
  /// Smaller changes of an offset would only disturb.
  static constexpr base::Duration kMinStep = std::chrono::milliseconds{20};

 private:
  struct Track {
    std::optional<Claim> claim;
    base::Duration offset{};
  };

  base::Duration wanted(const Track& track) const;

  mutable std::mutex mutex_;
  std::vector<Track> tracks_;            // GUARDED_BY(mutex_)
  std::optional<base::Duration> begun_;  // GUARDED_BY(mutex_); all tracks have claims
  bool stopped_ = false;                 // GUARDED_BY(mutex_)
};

}  // namespace transcoder
