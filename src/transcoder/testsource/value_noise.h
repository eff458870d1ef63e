#pragma once

#include <cstdint>

namespace transcoder {

/// A smooth random texture: interpolated values of a lattice, summed over octaves of halving size
/// and weight. Repeats with period 1 in x, so that it can scroll forever. Determined by its seed.
struct ValueNoise {
  std::uint32_t seed = 0;
  int columns = 4;  ///< lattice cells per period in the first octave
  int octaves = 4;

  /// The value at (x, y), in [0, 1]. `y` counts cells of the first octave.
  double at(double x, double y) const;
};

}  // namespace transcoder
