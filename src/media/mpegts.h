#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// MPEG-TS (ISO/IEC 13818-1), as needed outside the muxer.
namespace media {

inline constexpr std::size_t kTsPacketSize = 188;
inline constexpr std::size_t kTsPayloadSize = 184;  ///< without an adaptation field

/// Packets to send before `bytes` (whole TS packets) so that they may follow anything without a
/// continuity error. For each PID in `bytes` there is one packet with only an adaptation field, the
/// discontinuity_indicator and the counter that the PID's first packet continues (2.4.3.4-5).
std::vector<std::uint8_t> ts_splice(std::span<const std::uint8_t> bytes);

/// Copies tables (PAT, PMT, SDT) for one receiver with continuous continuity counters, whichever
/// group the tables come from. ts_splice() does not work for tables: VLC's libdvbpsi also counts
/// packets without payload, and ignores the discontinuity_indicator. Not thread-safe.
class TsTables {
 public:
  /// Copies of the table packets at the start of `bytes` (whole TS packets), with counters that
  /// continue those of the last call.
  std::vector<std::uint8_t> take(std::span<const std::uint8_t> bytes);

 private:
  struct Counter {
    unsigned pid;
    std::uint8_t next;
  };

  std::vector<Counter> counters_;  ///< one per table PID; few
};

/// One receiver's audio, of which several frames may share a PES packet: where each fills only a
/// part of a TS packet, together they need fewer. From then on the receiver's continuity counters
/// differ from its group's, until a splice. Not thread-safe.
class TsAudio {
 public:
  /// The TS packets for consecutive audio frames. `frames`: each one's whole TS packets, with one
  /// PES packet. Empty if they can be sent as they are.
  std::vector<std::uint8_t> take(std::span<const std::span<const std::uint8_t>> frames);
  /// ts_splice() precedes the next frame.
  void splice() { next_.reset(); }

 private:
  std::optional<std::uint8_t> next_;  ///< counter; nullopt: as in the group
};

/// The most padding for one frame: 11 TCP segments of 1448 bytes, enough for a packet train whose
/// spacing shows the path's rate.
inline constexpr std::size_t kMaxPaddingBytes = 85 * kTsPacketSize;

/// Null packets (PID 0x1FFF, 2.4.3.3), which every receiver discards: as many whole packets as fit
/// in `bytes`, at most kMaxPaddingBytes. They live as long as the program.
std::span<const std::uint8_t> ts_padding(std::size_t bytes);

}  // namespace media
