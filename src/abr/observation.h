#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/units.h"

namespace abr {

/// A frame whose last byte the viewer's kernel has acknowledged. Sent as a train, head and tail
/// right after each other, when it is long enough; the times are the acknowledgements' own.
struct DeliveredFrame {
  base::Time departed{};                   ///< when our kernel took it, whole
  std::optional<base::Time> head_acked{};  ///< of its first `head` bytes; empty: no train
  base::Time acked{};
  base::ByteCount head;
  base::ByteCount size;  ///< as written: container, audio before it, HTTP and padding included
};

/// What a video rate becomes on the wire, as TCP's payload.
struct Transport {
  double factor = 1;    ///< of each bit of video
  base::BitRate fixed;  ///< audio, and what each frame costs
  base::BitRate wire(base::BitRate video) const { return factor * video + fixed; }
  base::BitRate video(base::BitRate wire) const {
    return wire > fixed ? (1 / factor) * (wire - fixed) : base::BitRate{};
  }
};

/// What is known of one viewer's connection: before each frame, when frames are acknowledged,
/// and when the kernel tells of an event. Windows count in segments of `mss`.
struct Observation {
  unsigned rexmt = 0;                        ///< REXMT events since the last observation
  unsigned dupack = 0;                       ///< DUPACK events since then
  std::span<const DeliveredFrame> frames{};  ///< since then, in the order of the stream
  base::Duration srtt{};                     ///< zero: not measured yet
  base::Duration min_rtt{};                  ///< likewise
  base::ByteCount queued;                    ///< not taken by the kernel yet
  bool discardable = false;                  ///< of these a whole frame is one
  base::ByteCount notsent;                   ///< taken, not sent
  base::ByteCount in_flight;                 ///< sent, and neither acknowledged, sacked nor lost
  base::ByteCount lost;                      ///< and not sent again yet
  base::ByteCount padding;                   ///< of these: what a decision has added
  base::ByteCount delivered;                 ///< of the connection: acknowledged or sacked
  std::uint32_t retransmits = 0;             ///< of the connection
  std::uint32_t cwnd = 0;
  std::optional<std::uint32_t> ssthresh;  ///< empty: infinite
  std::uint32_t mss = 0;                  ///< bytes
  bool bbr = false;                       ///< the congestion control is BBR
  bool recovering = false;                ///< from a loss
  bool receiver_limited = false;          ///< the viewer's own window holds data back
  base::BitRate pacing;                   ///< zero: none
  base::BitRate delivery_rate;
  bool app_limited = false;  ///< so is that
  base::Duration backlog{};  ///< what waits unsent, as time at the served rate
  base::BitRate served;      ///< target rate of the group that serves the viewer
  base::Duration frame_interval = std::chrono::milliseconds{33};
  Transport transport;
};

}  // namespace abr
