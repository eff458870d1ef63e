#pragma once

#include <cstdint>

#include "base/units.h"

/// Packet trains show a path's capacity: the bottleneck spaces segments that are sent in one burst,
/// and their acknowledgements keep that spacing (Jain and Routhier 1986; Dovrolis, Ramanathan and
/// Moore 2004, "Packet-dispersion techniques and a capacity-estimation methodology"). Unlike the
/// kernel's delivery rate this does not need a sender that keeps the path full (abr::PathModel).
///
///    head    |          tail          |        C = tail / (tail_acked - head_acked)
///   ─────────┼────────────────────────┼──►
///        head_acked               tail_acked
///
/// C counts TCP payload. With cross traffic C lies between the fair share and the capacity. Where
/// pacing or the congestion window holds the train back, C is the rate they let through.
namespace tcpinfo {

// Receivers acknowledge two segments at once (RFC 5681, 4.2): two for the head's ACK, and two for
// the tail's, one spacing later. More segments would rule out trains of short frames.
inline constexpr std::uint32_t kHeadSegments = 2;
inline constexpr std::uint32_t kTailSegments = 2;

/// Size of the head of a write of `size` bytes. 0 if the write is too short for a train, or if
/// `mss` (in bytes) is 0, that is, not known yet. A pure function.
base::ByteCount train_head(base::ByteCount size, std::uint32_t mss);

}  // namespace tcpinfo
