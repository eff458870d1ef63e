#pragma once

#include <cstdint>

#include "base/units.h"

/// A path's capacity shows in trains of packets: what is sent in one go leaves the bottleneck
/// spaced by it, and so do the acknowledgements (Jain and Routhier 1986; Dovrolis, Ramanathan and
/// Moore 2004, "Packet-dispersion techniques and a capacity-estimation methodology"). Unlike the
/// kernel's delivery rate it does not need a sender that keeps the path full (abr::PathModel).
///
///    head    |          tail          |        C = tail / (tail_acked - head_acked)
///   ─────────┼────────────────────────┼──►
///        head_acked               tail_acked
///
/// The bits are TCP payload. With cross traffic it lies between the fair share and the capacity;
/// where pacing or the congestion window holds the train back, it is what they let through.
namespace tcpinfo {

// Two segments are acknowledged at once (RFC 5681, 4.2), and so are the next two, a spacing later.
inline constexpr std::uint32_t kHeadSegments = 2;
inline constexpr std::uint32_t kTailSegments = 2;

/// How much of a write of `size` goes first; zero: it is too short for a train. `mss` of zero: not
/// known yet.
base::ByteCount train_head(base::ByteCount size, std::uint32_t mss);

}  // namespace tcpinfo
