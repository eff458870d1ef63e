#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace transcoder {

/// A sender report of RTCP that does not name its sender (RFC 3550, 6.5.1: CNAME), with a name.
/// Some cameras leave it out, and rtpbin then does not know that two tracks belong together.
/// nullopt for other packets.
std::optional<std::vector<std::uint8_t>> with_name(std::span<const std::uint8_t> packets);

}  // namespace transcoder
