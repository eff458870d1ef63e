#pragma once

#include <cstdint>
#include <optional>

namespace netlab {

using Ticks = std::int64_t;  ///< 90 kHz clock, unwrapped
inline constexpr Ticks kTicksPerSecond = 90'000;

/// A 33-bit time stamp continued beyond its wrap, assuming steps of less than half its range.
class TickUnwrapper {
 public:
  Ticks unwrap(std::uint64_t wrapped);

 private:
  std::optional<Ticks> last_;
};

}  // namespace netlab
