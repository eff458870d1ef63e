#pragma once

#include <cstdint>

#include "abr/ladder/standing.h"
#include "abr/tuning.h"
#include "base/units.h"

/// Evidence that a viewer takes media, so that they count in the ladder. No I/O, no clock; one
/// thread.
namespace abr {

/// The proof of a viewer with one endless response: the bytes that they acknowledge.
///
///   proven      once bytes were acknowledged for kFirstProof without a pause
///   unproven    after a pause, in which bytes waited and none was acknowledged
///   again       with the next byte that is acknowledged
///
/// A silence of kSilence is a pause. While the viewer's receive window is closed, it is none until
/// the viewer has used up at the lowest rate the bytes that they took, which counts for at most
/// kLongestReaderPause: a player that reads in large pieces is silent between them. The window may
/// open again only for a sixteenth of the receive buffer or for one segment (Linux,
/// __tcp_select_window). On loopback, behind a proxy on this machine, that is 64 KB: 1 s at 500
/// kbit/s.
class StreamProof {
 public:
  /// A shorter time lets those count who read only what fits into their own buffers: at 5 Mbit/s a
  /// client's default of 128 KiB (tcp_rmem) lasts for 0.2 s, and one of 1 MiB for 1.7 s. With a
  /// longer one a newcomer on a slow path waits longer for a rate that suits them.
  static constexpr base::Duration kFirstProof = std::chrono::seconds{2};
  /// A shorter time takes a lost retransmission for silence: the kernel's first timeout is 0.2 s or
  /// a round trip, and the second twice that. With a longer one a viewer whose path is down counts
  /// for longer.
  static constexpr base::Duration kSilence = std::chrono::seconds{1};

  struct Taken {
    std::uint64_t acknowledged = 0;  ///< bytes since the connection began
    bool waiting = false;            ///< there are bytes that the viewer has not acknowledged
    bool window_closed = false;      ///< the viewer's receive window holds them back
  };

  /// `lowest`: the lowest rate of the stream.
  Standing update(const Taken& taken, base::BitRate lowest, base::Time now);

 private:
  std::uint64_t acknowledged_ = 0;
  base::Time progress_{};    ///< of the last new byte, or of the last time that nothing waited
  base::Time paid_until_{};  ///< when what was taken is used up at the lowest rate
  base::Time began_{};       ///< of the first progress without a pause since
  bool shown_ = false;       ///< once for kFirstProof
};

/// The proof of a segment player: the media that they have loaded of what they asked for.
///
///   proven    while the media loaded, in the last one to two periods, play for at least half of
///             the time that has passed since, or since the player asked for this rendition
///
/// The time in which a slow connection is busy counts as media loaded: the player takes what the
/// path carries.
class LoadProof {
 public:
  /// `period`: longer than the time between two loads. A longer one believes a player that has
  /// stopped for longer.
  LoadProof(base::Duration period, base::Time now) : period_{period}, asked_{now}, began_{now} {}

  void ask(base::Time now);  ///< the player asks for another rendition
  void load(base::Duration media) { loaded_ += media; }
  bool is_given(base::Time now);  ///< call more often than once in a period

 private:
  // Of the media that pass. Players that follow a live stream load all of it; some skip a segment
  // when they are late, or change the rendition.
  static constexpr double kShare = 0.5;

  const base::Duration period_;
  base::Time asked_;
  base::Time began_;         ///< of the current period
  base::Duration loaded_{};  ///< in the current period
  base::Duration before_{};  ///< in the period before
};

}  // namespace abr
