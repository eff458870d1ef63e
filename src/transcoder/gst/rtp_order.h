#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace transcoder {

/// An RTP packet without its header, CSRC list, extension and padding: RFC 3550, 5.1.
struct RtpPacket {
  int payload_type;
  std::uint16_t sequence;
  std::uint32_t source;  ///< SSRC
  std::span<const std::uint8_t> payload;
};

/// nullopt if the bytes are not an RTP packet.
std::optional<RtpPacket> parse_rtp(std::span<const std::uint8_t> bytes);

/// Restores the order of RTP packets' payloads and drops duplicates. Payloads after a gap wait for
/// at most kWindow packets. No I/O, no clock.
class RtpOrder {
 public:
  /// Returns the next bytes in order: none, or those of one or several packets.
  std::vector<std::uint8_t> push(const RtpPacket& packet);

  /// Networks with several paths swap nearby packets. A larger window would delay the media for
  /// longer at each loss: 8 packets of 7 * 188 bytes are 0.17 s at 0.5 Mbit/s, and 8 ms at 10
  /// Mbit/s.
  static constexpr std::size_t kWindow = 8;

 private:
  void restart(const RtpPacket& packet, std::vector<std::uint8_t>& out);
  void release(std::vector<std::uint8_t>& out);

  bool begun_ = false;
  std::uint32_t source_ = 0;
  std::int64_t next_ = 0;  ///< sequence number, without wrap
  std::size_t late_ = 0;   ///< packets in a row that came too late
  std::map<std::int64_t, std::vector<std::uint8_t>> waiting_;  ///< by sequence number
};

}  // namespace transcoder
