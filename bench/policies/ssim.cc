#include "ssim.h"

#include <cstddef>
#include <vector>

namespace control {

namespace {

constexpr int kStep = 4;     // pixels from window to window; a window is two by two blocks of it
constexpr int kPixels = 64;  // of a window
constexpr double kRange = 255;
constexpr double kC1 = 0.01 * kRange * 0.01 * kRange;  // the paper's K1 and K2
constexpr double kC2 = 0.03 * kRange * 0.03 * kRange;

/// Sums over the pixels of both pictures in one block or window.
struct Sums {
  int a = 0;
  int b = 0;
  int aa = 0;
  int bb = 0;
  int ab = 0;
};

Sums operator+(const Sums& x, const Sums& y) {
  return {x.a + y.a, x.b + y.b, x.aa + y.aa, x.bb + y.bb, x.ab + y.ab};
}

Sums block(const Luma& a, const Luma& b, int left, int top) {
  Sums sums;
  for (int y = top; y < top + kStep; ++y) {
    const auto* pa = a.data + static_cast<std::ptrdiff_t>(y) * a.stride + left;
    const auto* pb = b.data + static_cast<std::ptrdiff_t>(y) * b.stride + left;
    for (int x = 0; x < kStep; ++x) {
      sums.a += pa[x];
      sums.b += pb[x];
      sums.aa += pa[x] * pa[x];
      sums.bb += pb[x] * pb[x];
      sums.ab += pa[x] * pb[x];
    }
  }
  return sums;
}

std::vector<Sums> blocks(const Luma& a, const Luma& b, int row) {
  std::vector<Sums> result;
  for (int x = 0; x + kStep <= a.width; x += kStep) result.push_back(block(a, b, x, row * kStep));
  return result;
}

/// Formula 13 of the paper, with the paper's unbiased variances.
double of_window(const Sums& s) {
  const double mean_a = s.a / double{kPixels};
  const double mean_b = s.b / double{kPixels};
  const double variance_a = (s.aa - kPixels * mean_a * mean_a) / (kPixels - 1);
  const double variance_b = (s.bb - kPixels * mean_b * mean_b) / (kPixels - 1);
  const double covariance = (s.ab - kPixels * mean_a * mean_b) / (kPixels - 1);
  return (2 * mean_a * mean_b + kC1) * (2 * covariance + kC2) /
         ((mean_a * mean_a + mean_b * mean_b + kC1) * (variance_a + variance_b + kC2));
}

}  // namespace

double ssim(const Luma& a, const Luma& b) {
  double sum = 0;
  int windows = 0;
  std::vector<Sums> above = blocks(a, b, 0);
  for (int row = 1; (row + 1) * kStep <= a.height; ++row) {
    std::vector<Sums> below = blocks(a, b, row);
    for (std::size_t i = 0; i + 1 < below.size(); ++i, ++windows) {
      sum += of_window(above[i] + above[i + 1] + below[i] + below[i + 1]);
    }
    above.swap(below);
  }
  return sum / windows;
}

}  // namespace control
