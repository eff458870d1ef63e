#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "transcoder/gst/rtp_order.h"

namespace transcoder {

/// The content of a datagram, by its bytes alone.
enum class DatagramKind {
  kTransportStream,  ///< MPEG-TS, in packets of 188, 192, 204 or 208 bytes
  kRtp,              ///< the same in RTP (RFC 2250, and any payload type)
  kContainer,        ///< the beginning of another container, or of a track without one
  kOtherRtp,
  kHttp,
  kJpeg,
  kUnknown,
};

struct Datagram {
  DatagramKind kind;
  int packets = 0;  ///< of the transport stream
  RtpPacket rtp{};  ///< of kRtp and kOtherRtp
};

Datagram inspect(std::span<const std::uint8_t> bytes);

/// A name for the content, of a kind that does not play.
std::string what_is(const Datagram& datagram);

}  // namespace transcoder
