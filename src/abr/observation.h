#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "abr/transport.h"
#include "base/units.h"

namespace abr {

/// A frame whose last byte the viewer's kernel has acknowledged. A frame that is long enough is
/// sent as a packet train: a head and, right after it, a tail.
struct DeliveredFrame {
  base::Time departed{};                   ///< our kernel had taken the whole frame
  std::optional<base::Time> head_acked{};  ///< ACK of the first `head` bytes; nullopt: no train
  base::Time acked{};                      ///< ACK of the last byte
  base::ByteCount head;
  base::ByteCount size;  ///< as written: with container, preceding audio, HTTP and padding
  base::ByteCount end;   ///< of the response up to the end of the frame
};

/// The state of one viewer's connection, sampled before each frame, when frames are acknowledged,
/// and when the kernel reports an event. Windows count segments of `mss`.
struct Observation {
  unsigned rexmt = 0;                        ///< REXMT events since the last observation
  unsigned dupack = 0;                       ///< DUPACK events since the last observation
  std::span<const DeliveredFrame> frames{};  ///< delivered since the last one, in stream order
  base::Duration srtt{};                     ///< zero until measured
  base::Duration min_rtt{};                  ///< zero until measured
  base::ByteCount queued;                    ///< not taken by the kernel yet
  bool discardable = false;       ///< the queue holds a frame of which nothing has been sent
  base::ByteCount notsent;        ///< taken by the kernel, not sent
  base::ByteCount in_flight;      ///< sent, and neither acknowledged, SACKed nor lost
  base::ByteCount lost;           ///< lost, and not retransmitted yet
  base::ByteCount padding;        ///< unacknowledged bytes that decisions added as padding
  base::ByteCount delivered;      ///< acknowledged or SACKed since the connection began
  base::ByteCount acknowledged;   ///< all bytes up to the first that has not arrived
  std::uint32_t retransmits = 0;  ///< since the connection began
  std::uint32_t cwnd = 0;
  std::optional<std::uint32_t> ssthresh;  ///< nullopt: infinite
  std::uint32_t mss = 0;                  ///< bytes
  bool bbr = false;                       ///< the congestion control is BBR
  bool recovering = false;                ///< from a loss
  bool rtt_watched = false;       ///< the kernel tells at once if the RTT exceeds the last limit
  unsigned neighbours = 0;        ///< other viewers of ours at the same address
  bool receiver_limited = false;  ///< the viewer's receive window holds data back
  base::BitRate pacing;           ///< zero: no pacing
  base::BitRate delivery_rate;    ///< the kernel's estimate
  bool app_limited = false;       ///< the application limited `delivery_rate`
  base::Duration backlog{};       ///< unsent data, as time at the served rate
  base::BitRate served;           ///< target rate of the viewer's group
  base::Duration frame_interval = std::chrono::milliseconds{33};
  unsigned frames_per_write = 1;  ///< of the newest write
  Transport transport;

  /// The newest write, about. The path and TCP may hold that much without having held it back.
  base::ByteCount written_at_once() const {
    return transport.wire(served) * (frames_per_write * frame_interval);
  }
};

}  // namespace abr
