#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "transcoder/gst/ts_packet.h"

namespace transcoder {

/// Repairs a damaged transport stream on its way to tsdemux, which would lose more than is damaged:
/// a PES packet of eight AAC frames for one lost or damaged TS packet, or its clock for one wrong
/// PCR.
///
///   audio continuity     renumbered; a repeated packet is hidden
///   audio without start  the first nine bytes of what comes becomes a header without a time
///   audio header         damaged start codes and flags are rewritten, impossible times removed
///   clock                a PCR is removed if it jumps alone: the next one is always kept, and so
///                        is one that a discontinuity or a PTS in the same packet explains: the
///                        PTS jumps along
///
/// No I/O, no clock.
class TsRepair {
 public:
  void repair(std::span<std::uint8_t, kTsPacketBytes> packet);
  /// The source says that its timestamps restart, or that data is missing.
  void restart_times();

 private:
  /// Times of one PID, without isolated ones that are wrong.
  class Times {
   public:
    /// Whether the time may be kept. `most`: the longest step ahead.
    bool keep(std::uint64_t ticks, std::uint64_t most);
    void accept(std::uint64_t ticks);
    std::optional<std::uint64_t> last() const { return last_; }

   private:
    std::optional<std::uint64_t> last_;
    bool removed_ = false;  ///< the one before this
  };

  struct Audio {
    int stream_id = 0;
    int known = 0;                     ///< intact headers in a row, up to kKnownHeaders
    std::optional<int> received;       ///< continuity counter
    std::uint8_t sent = 0;             ///< the same, after renumbering
    std::uint32_t checksum = 0;        ///< of the last packet, to know repetitions
    std::optional<std::int64_t> rest;  ///< bytes of the PES packet still to come, if known
    Times times;
  };

  /// The clock of one PID.
  struct Clock {
    Times times;
    std::optional<std::uint64_t> lead;  ///< of the last PTS before the PCR of its packet

    bool explains(std::uint64_t pcr, std::uint64_t pts) const;
  };

  void repair_clock(std::span<std::uint8_t, kTsPacketBytes> packet);
  bool renumber(Audio& audio, std::span<std::uint8_t, kTsPacketBytes> packet);
  void repair_start(Audio& audio, std::span<std::uint8_t, kTsPacketBytes> packet,
                    std::span<std::uint8_t> payload);
  void read_header(Audio& audio, std::span<std::uint8_t> pes);

  bool keep_time(Times& times, std::span<const std::uint8_t> pes) const;

  std::map<int, Audio> audio_;          ///< by PID
  std::map<int, Clock> clocks_;         ///< by PID
  std::optional<std::uint64_t> clock_;  ///< the newest PCR that was kept, of any PID
};

}  // namespace transcoder
