#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/units.h"

/// Arithmetic in bits, seconds and bit/s that the estimators of a path share.
namespace abr {

inline double bits(base::ByteCount size) { return static_cast<double>(size.bits()); }
inline double bps(base::BitRate rate) { return static_cast<double>(rate.bps()); }
inline base::BitRate rate(double bps) { return base::BitRate{static_cast<std::int64_t>(bps)}; }

/// The newest three values of a quantity that one late ACK can spoil.
class LastThree {
 public:
  void add(double value) { values_[count_++ % values_.size()] = value; }
  void clear() { count_ = 0; }
  bool full() const { return count_ >= values_.size(); }
  bool empty() const { return count_ == 0; }
  // REQUIRES: not empty.
  double& newest() { return values_[(count_ - 1) % values_.size()]; }
  double min() const { return *std::min_element(values_.begin(), end()); }
  double max() const { return *std::max_element(values_.begin(), end()); }
  /// REQUIRES: full().
  double median() const {
    const auto& v = values_;
    return std::max(std::min(v[0], v[1]), std::min(std::max(v[0], v[1]), v[2]));
  }

 private:
  const double* end() const { return values_.begin() + std::min(count_, values_.size()); }

  std::array<double, 3> values_{};  ///< ring
  std::size_t count_ = 0;
};

}  // namespace abr
