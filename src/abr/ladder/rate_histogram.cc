#include "abr/ladder/rate_histogram.h"

#include <algorithm>
#include <cmath>

namespace abr {

int RateHistogram::index(base::BitRate rate) {
  static const double kLogRatio = std::log(kBinRatio);
  return static_cast<int>(std::floor(std::log(static_cast<double>(rate.bps())) / kLogRatio));
}

void RateHistogram::add(int index, const Bin& bin) {
  const auto [it, added] = bins_.try_emplace(index, bin);
  if (!added) {
    it->second.viewers += bin.viewers;
    it->second.lowest = std::min(it->second.lowest, bin.lowest);
  }
  viewers_ += bin.viewers;
}

void RateHistogram::add(const RateHistogram& other) {
  for (const auto& [index, bin] : other.bins_) add(index, bin);
}

void RateHistogram::remove(base::BitRate sustains) {
  const auto it = bins_.find(index(sustains));
  if (--it->second.viewers == 0) bins_.erase(it);
  --viewers_;
}

}  // namespace abr
