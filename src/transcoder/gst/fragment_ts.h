#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "transcoder/gst/ts_packet.h"
#include "transcoder/time/fragment_position.h"

namespace transcoder {

/// Puts a transport stream of an HLS source on the timeline of all tracks: rewrites its PCR, PTS
/// and DTS on their way to a tsdemux, so that they go on where those of the media jump. No I/O, no
/// clock.
class FragmentTs {
 public:
  explicit FragmentTs(std::shared_ptr<FragmentClock> clock) : position_{std::move(clock)} {}

  /// The playlist has a discontinuity before the next packet. `arrival`: its place by the playlist.
  void restart(std::optional<base::Duration> arrival);

  /// Edits packets in place, with whatever is between them. Returns where on the timeline the first
  /// time reference after a restart is, if it is among them: a tsdemux counts from there.
  std::optional<base::Duration> edit(std::span<std::uint8_t> bytes);

 private:
  using Packet = std::span<std::uint8_t, kTsPacketBytes>;

  void begin_round(std::span<std::uint8_t> rest);
  std::optional<std::uint64_t> reference(Packet packet);
  void move(Packet packet) const;

  FragmentPosition position_;
  std::optional<base::Duration> arrival_;
  bool round_due_ = true;                ///< at the next time in the media
  bool restarted_ = true;                ///< and the demuxer has not been told
  std::uint64_t offset_ = 0;             ///< of the round, in ticks
  std::optional<int> clock_pid_;         ///< PID with the PCR; empty if there is none
  int other_clocks_ = 0;                 ///< PCRs of other PIDs since its last one
  std::optional<std::uint64_t> newest_;  ///< PCR; PTS if there is none
  std::optional<base::Duration> lead_;   ///< of the first PTS of a round before its first PCR
};

}  // namespace transcoder
