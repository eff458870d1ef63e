#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "netlab/stream_parser.h"

namespace netlab {

/// Summary of the times of one viewer's frames.
class Viewing {
 public:
  struct State {
    std::uint64_t pictures = 0;
    std::uint64_t keyframes = 0;
    std::uint64_t picture_bytes = 0;
    std::uint64_t gaps = 0;     ///< steps of pts above 1.5 times the median step
    std::uint64_t repeats = 0;  ///< pts not later than the one before
    double interval_s = 0;      ///< median step of pts
    double media_s = 0;         ///< first to last pts
    double longest_wait_s = 0;  ///< between arrivals of frames
    std::optional<base::Time> first_arrival{};
  };

  void add(const Picture& picture);
  State state() const;

 private:
  std::vector<Picture> pictures_;
};

}  // namespace netlab
