#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// What has to be known of MPEG-TS (ISO/IEC 13818-1) outside the muxer.
namespace media {

inline constexpr std::size_t kTsPacketSize = 188;

/// The packets that make `bytes` (whole TS packets) follow anything without a continuity error:
/// for each PID in `bytes`, one packet of only an adaptation field, with discontinuity_indicator
/// set and the counter that the PID's first packet continues (2.4.3.4-5). `bytes` stays as it is.
std::vector<std::uint8_t> ts_splice(std::span<const std::uint8_t> bytes);

/// The tables (PAT, PMT, SDT) that one receiver is sent, whichever group they come from: their
/// continuity counters go on. A splice would not do for them: VLC's libdvbpsi counts packets
/// without payload as well, and knows no discontinuity_indicator.
class TsTables {
 public:
  /// Copies of the packets of tables with which `bytes` begins.
  std::vector<std::uint8_t> take(std::span<const std::uint8_t> bytes);

 private:
  struct Counter {
    unsigned pid;
    std::uint8_t next;
  };

  std::vector<Counter> counters_;  ///< one per PID of tables: few
};

/// Null packets (PID 0x1FFF, 2.4.3.3), which every receiver throws away: at most `bytes` of them,
/// in whole packets, and at most kMostPadding. They live as long as the program.
inline constexpr std::size_t kMostPadding = 85 * kTsPacketSize;  ///< 11 segments of 1448 bytes
std::span<const std::uint8_t> ts_padding(std::size_t bytes);

}  // namespace media
