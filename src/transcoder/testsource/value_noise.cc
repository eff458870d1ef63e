#include "transcoder/testsource/value_noise.h"

#include <cmath>

namespace transcoder {

namespace {

/// An integer hash with good avalanche (the public-domain constants of the "lowbias32" search).
std::uint32_t hash(std::uint32_t v) {
  v = (v ^ (v >> 16)) * 0x7feb352du;
  v = (v ^ (v >> 15)) * 0x846ca68bu;
  return v ^ (v >> 16);
}

double lattice(std::uint32_t seed, int column, int row) {
  const auto cell =
      static_cast<std::uint32_t>(column) * 0x9e3779b9u + static_cast<std::uint32_t>(row);
  return hash(hash(cell) ^ seed) / 4294967296.0;
}

double smooth(double t) { return t * t * (3 - 2 * t); }

double mix(double a, double b, double t) { return a + (b - a) * t; }

double octave(std::uint32_t seed, int columns, double x, double y) {
  const double fx = (x - std::floor(x)) * columns;
  const int column = static_cast<int>(fx) % columns;
  const int next = (column + 1) % columns;
  const int row = static_cast<int>(std::floor(y));
  const double tx = smooth(fx - std::floor(fx));
  const double ty = smooth(y - row);
  return mix(mix(lattice(seed, column, row), lattice(seed, next, row), tx),
             mix(lattice(seed, column, row + 1), lattice(seed, next, row + 1), tx), ty);
}

}  // namespace

double ValueNoise::at(double x, double y) const {
  double sum = 0;
  double weight = 1;
  double total = 0;
  for (int i = 0; i < octaves; ++i, weight /= 2) {
    sum += weight * octave(seed + static_cast<std::uint32_t>(i), columns << i, x, y * (1 << i));
    total += weight;
  }
  return sum / total;
}

}  // namespace transcoder
