#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "netlab/stream_parser.h"

namespace netlab {

/// When frames arrived, of any number of viewers of one stream, compared to their timestamps.
class Arrivals {
 public:
  /// Arrival less timestamp, in seconds, of which some are smaller; 0 without frames. Both clocks
  /// begin at some time of their own.
  struct State {
    std::uint64_t frames = 0;
    double p50_s = 0;
    double p95_s = 0;
    double p99_s = 0;
    double most_s = 0;
  };

  void add(const Picture& picture);
  State state() const;

 private:
  std::vector<double> lags_;
};

}  // namespace netlab
