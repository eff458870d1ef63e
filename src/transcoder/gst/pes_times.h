#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>

#include "base/units.h"
#include "transcoder/gst/ts_packet.h"

namespace transcoder {

/// The 33 bits of a PTS or DTS in a PES header (ISO/IEC 13818-1, 2.4.3.6), in ticks of 90 kHz.
std::uint64_t pes_time(std::span<const std::uint8_t> bytes);
/// The base of the PCR in a packet, in ticks of 90 kHz; nullopt if it has none.
std::optional<std::uint64_t> pcr_base(std::span<const std::uint8_t, kTsPacketBytes> packet);

/// Remembers the times in a transport stream that enters a tsdemux, which replaces them by times of
/// its own: finds the time in the media of what leaves it. No I/O, no clock.
class PesTimes {
 public:
  /// `arrival`: the time that the demuxer gives to the packet's PCR, if it has one.
  void scan(std::span<const std::uint8_t, kTsPacketBytes> packet,
            std::optional<base::Duration> arrival);
  /// The demuxer chooses another beginning from here on.
  void restart();

  /// The PTS in the media of what left the demuxer with `out`; nullopt if it is not known.
  std::optional<base::Duration> media_time(int pid, base::Duration out);

 private:
  struct Stream {
    std::deque<base::Duration> times;      ///< newest last
    std::optional<base::Duration> offset;  ///< of the demuxer's times to these
  };

  std::map<int, Stream> streams_;         ///< by PID
  std::optional<base::Duration> offset_;  ///< the same, of streams that have none yet
};

}  // namespace transcoder
