#pragma once

#include <array>
#include <cstdint>

#include "base/log_period.h"
#include "base/units.h"
#include "server/places.h"

namespace server {

/// Logs that viewers were refused or evicted, and which key to raise: for each limit one line per
/// period, which says how often. Used on one thread.
class PlacesLog {
 public:
  /// Call a few times per second.
  void report(const Places::State& state, base::Time now);

 private:
  struct Line {
    base::LogPeriod period;
    std::uint64_t seen = 0;
  };
  using Lines = std::array<Line, Places::kFullCount>;

  static void report(Lines& lines, const char* event,
                     const std::array<Places::Count, Places::kFullCount>& counts, base::Time now);

  Lines refused_;
  Lines evicted_;
};

}  // namespace server
