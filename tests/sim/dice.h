#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace sim {

/// Draws from a seed.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_{seed} {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<>{low, high}(random_);
  }
  double log_uniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  bool chance(double probability) { return uniform(0, 1) < probability; }
  int count(int low, int high) { return std::uniform_int_distribution<>{low, high}(random_); }

 private:
  std::mt19937_64 random_;
};

}  // namespace sim
