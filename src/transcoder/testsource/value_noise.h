#pragma once

#include <cstdint>

namespace transcoder {

/// Smooth random texture: values on a lattice, interpolated, in octaves of halving size and
/// weight. Repeats with period 1 in x, so that it can scroll for ever. The same for a seed.
struct ValueNoise {
  std::uint32_t seed = 0;
  int columns = 4;  ///< lattice cells over the period, in the first octave
  int octaves = 4;

  /// In [0, 1]; `y` in cells of the first octave.
  double at(double x, double y) const;
};

}  // namespace transcoder
