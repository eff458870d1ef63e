#pragma once

#include <algorithm>
#include <array>

#include "base/units.h"

namespace abr {

/// Converts between video rates and the TCP payload that carries them with the audio that goes with
/// them. Both conversions rise with their argument.
struct Transport {
  /// More audio, from a video rate on.
  struct Step {
    base::BitRate from;  ///< video rate
    base::BitRate more;  ///< payload that is added to it
  };

  double factor = 1;           ///< payload bits per bit of video
  base::BitRate fixed;         ///< overhead of each frame, and the lowest audio
  base::BitRate audio;         ///< the part of `fixed` that the lowest audio is
  std::array<Step, 2> more{};  ///< in rising order; unused ones first

  constexpr base::BitRate wire(base::BitRate video) const {
    auto sum = factor * video + fixed;
    for (const auto& step : more) {
      if (video >= step.from) sum = sum + step.more;
    }
    return sum;
  }

  /// The highest video rate whose payload is at most `wire`; zero if there is none.
  constexpr base::BitRate video(base::BitRate wire) const {
    auto rest = wire - fixed;
    for (const auto& step : more) rest = rest - step.more;
    auto most = (1 / factor) * rest;
    for (auto step = more.rbegin(); step != more.rend() && most < step->from; ++step) {
      rest = rest + step->more;
      most = std::min((1 / factor) * rest, step->from - base::BitRate{1});
    }
    return std::max(most, base::BitRate{});
  }
};

}  // namespace abr
