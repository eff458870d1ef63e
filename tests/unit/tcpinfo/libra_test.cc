#include "bpf/libra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

constexpr double kGrowthUnit = 1 << 20;  // Q20

/// libra.h's formula in floating point. `capacity` in bytes/s, `rtt` in s.
double growth(double capacity, double rtt, double beta) {
  const double alpha = 2 * capacity / LIBRA_CAPACITY_UNIT * std::exp(-2 * beta);
  return alpha * rtt * rtt / (rtt + 1);
}

TEST(LibraTest, DecayApproximatesTheExponential) {
  for (std::uint32_t beta = 0; beta <= LIBRA_ONE; ++beta) {
    EXPECT_NEAR(libra_decay(beta) / 65536., std::exp(-2. * beta / 65536), 1.4e-4) << beta;
  }
}

TEST(LibraTest, BetaIsTheFillOfTheQueue) {
  EXPECT_EQ(libra_beta(50'000, 50'000, 100'000), 0u);
  EXPECT_EQ(libra_beta(75'000, 50'000, 100'000), LIBRA_ONE / 2);
  EXPECT_EQ(libra_beta(100'000, 50'000, 100'000), LIBRA_ONE);
  EXPECT_EQ(libra_beta(4'000'000'000, 1, 4'000'000'001), 65'535u);
}

TEST(LibraTest, BetaWithoutARangeIsZero) {
  EXPECT_EQ(libra_beta(50'000, 50'000, 50'000), 0u);
  EXPECT_EQ(libra_beta(40'000, 50'000, 30'000), 0u);
}

TEST(LibraTest, GrowthMatchesTheFormula) {
  for (double capacity = 12'500; capacity < 8e9; capacity *= 2.7) {
    for (double rtt_us = 1000; rtt_us < LIBRA_MAX_RTT_US; rtt_us *= 1.7) {
      for (const std::uint32_t beta : {0u, 1u, 20'000u, 40'000u, LIBRA_ONE}) {
        const auto rtt = static_cast<std::uint32_t>(rtt_us);
        const double exact = growth(std::floor(capacity), rtt / 1e6, beta / 65536.);
        const double got =
            libra_growth(static_cast<std::uint64_t>(capacity), rtt, beta) / kGrowthUnit;
        // Rounding loses 2^-10 of alpha twice, and 2^-10 µs of the round trip's term.
        const double alpha = 2 * capacity / LIBRA_CAPACITY_UNIT * std::exp(-2. * beta / 65536);
        const double bound = exact * (1.4e-4 / std::exp(-2.) + 2 / 1024. / alpha +
                                      1e-6 / 1024 / (rtt / 1e6 * rtt / 1e6)) +
                             2 / kGrowthUnit;
        EXPECT_NEAR(got, exact, bound) << capacity << " B/s, " << rtt << " us, beta " << beta;
      }
    }
  }
}

TEST(LibraTest, GrowthCapsLargeArguments) {
  EXPECT_EQ(libra_growth(~0ull, ~0u, 0), libra_growth(LIBRA_MAX_CAPACITY, LIBRA_MAX_RTT_US, 0));
  EXPECT_NEAR(libra_growth(~0ull, ~0u, 0) / kGrowthUnit,
              growth(LIBRA_MAX_CAPACITY, LIBRA_MAX_RTT_US / 1e6, 0), 1e3);
  EXPECT_EQ(libra_growth(0, 50'000, 0), 0u);
}

TEST(LibraTest, ALowMeasurementIsRaisedTo10Mbps) {
  EXPECT_EQ(libra_capacity(0), 1'250'000u);
  EXPECT_EQ(libra_capacity(100'000), 1'250'000u);
  EXPECT_EQ(libra_capacity(2'500'000), 2'500'000u);
}

/// The rate's growth per second, alpha / (T + 1), depends little on T while T is short.
TEST(LibraTest, RatesGrowSimilarlyOnShortAndLongRoundTrips) {
  const auto rate_growth = [](std::uint32_t rtt_us) {
    const double rtt = rtt_us / 1e6;
    return libra_growth(2'500'000, rtt_us, 0) / kGrowthUnit / (rtt * rtt);
  };
  EXPECT_NEAR(rate_growth(30'000) / rate_growth(180'000), 1.18 / 1.03, 0.001);
}

TEST(LibraTest, ALossTakesALargerShareOnShorterRoundTrips) {
  for (std::uint32_t window = 2; window < 4'000'000'000u; window = window * 3 + 1) {
    for (const std::uint32_t rtt_us : {0u, 3000u, 50'000u, 500'000u, ~0u}) {
      const double rtt = rtt_us / 1e6;
      const double exact = std::max(2., window * (1 - 1 / (2 * (rtt + 1))));
      EXPECT_NEAR(libra_window_after_loss(window, rtt_us), exact, 1) << window << ' ' << rtt_us;
      if (window > 1'300'000'000u) return;  // the next would wrap
    }
  }
}

}  // namespace
