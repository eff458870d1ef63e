#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <vector>

#include "abr/rate_policy.h"

/// The time and the viewers of the simulations. The logarithm of each viewer's capacity is an
/// Ornstein-Uhlenbeck process, so that capacities are log-normal at any time, plus one such process
/// that is common to all. A viewer sustains its capacity within the limits of the rate; its policy
/// is assumed to know that.
namespace ladder_bench {

using namespace std::chrono_literals;
using base::BitRate;

inline constexpr base::Duration kTick = 250ms;  // as in app/serve.cc
inline constexpr base::Duration kFrame = std::chrono::microseconds{33'333};
inline constexpr base::Duration kWarmUp = 30s;
inline constexpr base::Time kBegin{1h};
inline constexpr base::Time kEpoch = kBegin - 1min;

struct Population {
  const char* name;
  std::size_t viewers;
  BitRate median;
  double sigma;          // of a viewer's own part, in nats
  double common_sigma;   // of the part common to all
  double correlation_s;  // of a viewer's own part; the common one's is twice that
  abr::RateLimits limits;
};

/// The rate that each viewer sustains, step by step.
class Viewers {
 public:
  Viewers(const Population& population, unsigned seed)
      : population_{population}, random_{seed}, own_(population.viewers) {
    for (auto& x : own_) x = normal_(random_);
    common_ = normal_(random_);
  }

  void step() {
    for (auto& x : own_) x = next(x, population_.correlation_s);
    common_ = next(common_, 2 * population_.correlation_s);
  }

  BitRate sustains(std::size_t viewer) const {
    const double x = population_.sigma * own_[viewer] + population_.common_sigma * common_;
    return std::clamp(std::exp(x) * population_.median, population_.limits.min,
                      population_.limits.max);
  }

 private:
  double next(double x, double correlation_s) {
    const double kept = std::exp(-base::seconds(kTick) / correlation_s);
    return kept * x + std::sqrt(1 - kept * kept) * normal_(random_);
  }

  const Population population_;
  std::mt19937_64 random_;
  std::normal_distribution<> normal_;
  std::vector<double> own_;
  double common_ = 0;
};

}  // namespace ladder_bench
