#pragma once

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace transcoder {

/// The longest time that a source's timestamps tell, before and after 0. Some count from 1970. With
/// this limit neither the difference of two, nor such a difference and a third, overflows 64 bits.
inline constexpr base::Duration kMaxSourceTime = std::chrono::hours{24 * 365 * 80};

/// A timestamp: `sign` times `ns`. nullopt if it is longer than kMaxSourceTime.
constexpr std::optional<base::Duration> source_time(int sign, std::uint64_t ns) {
  if (ns > static_cast<std::uint64_t>(kMaxSourceTime.count())) return std::nullopt;
  return base::Duration{sign * static_cast<base::Duration::rep>(ns)};
}

}  // namespace transcoder
