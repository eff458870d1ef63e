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

/// Recovers the timestamps of a transport stream behind a tsdemux, which replaces them with times
/// of its own. Records those that enter it, to look up those of the data that leaves it. No I/O, no
/// clock.
class PesTimes {
 public:
  /// `arrival`: the time that the demuxer gives to the packet's PCR, if it has one.
  void scan(std::span<const std::uint8_t, kTsPacketBytes> packet,
            std::optional<base::Duration> arrival);
  /// The demuxer counts from another origin from here on.
  void restart();

  /// The original PTS of data that left the demuxer with the time `out`; nullopt if it is not
  /// known.
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
