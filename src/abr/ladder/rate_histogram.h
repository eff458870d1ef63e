#pragma once

#include <cstddef>
#include <map>

#include "base/units.h"

namespace abr {

/// Viewers by the rate they sustain, in bins of equal ratio: a plan costs the same for ten viewers
/// and for 100,000. Rates are positive.
class RateHistogram {
 public:
  /// Ratio of neighbouring bins. 1 % is the least gain of a plan (kMinPlanGain in group_policy.cc)
  /// and makes 390 bins from 100 kbit/s to 5 Mbit/s. Plans take longer with narrower bins, and are
  /// less exact with wider ones. Not measured against other values.
  static constexpr double kBinRatio = 1.01;

  struct Bin {
    std::size_t viewers = 0;
    base::BitRate lowest;  ///< lowest rate added since the bin was empty
  };

  void add(base::BitRate sustains) { add(index(sustains), {1, sustains}); }
  void add(const RateHistogram& other);
  /// `sustains` must have been added.
  void remove(base::BitRate sustains);

  std::size_t viewers() const { return viewers_; }
  const std::map<int, Bin>& bins() const { return bins_; }  ///< by rising rate; none is empty

 private:
  static int index(base::BitRate rate);
  void add(int index, const Bin& bin);

  std::map<int, Bin> bins_;
  std::size_t viewers_ = 0;
};

}  // namespace abr
