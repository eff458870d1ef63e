#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace transcoder {

/// Adds a name to an RTCP sender report without one (RFC 3550, 6.5.1: CNAME). Some cameras omit it,
/// and rtpbin then does not know that two tracks belong together. nullopt for other packets.
std::optional<std::vector<std::uint8_t>> with_name(std::span<const std::uint8_t> packets);

}  // namespace transcoder
