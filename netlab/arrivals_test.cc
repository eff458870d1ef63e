#include "netlab/arrivals.h"

#include <gtest/gtest.h>

namespace netlab {
namespace {

using namespace std::chrono_literals;

TEST(ArrivalsTest, ComparesArrivalsWithTimestamps) {
  Arrivals arrivals;
  for (int i = 0; i < 100; ++i) {
    arrivals.add({.pts = 3000 * i, .arrival = base::Time{5s + i * 1'000'000us / 30 + i * 1ms}});
  }
  const auto state = arrivals.state();
  EXPECT_EQ(state.frames, 100u);
  EXPECT_NEAR(state.p50_s, 5.049, 1e-4);
  EXPECT_NEAR(state.p95_s, 5.094, 1e-4);
  EXPECT_NEAR(state.p99_s, 5.098, 1e-4);
  EXPECT_NEAR(state.most_s, 5.099, 1e-4);
}

TEST(ArrivalsTest, SaysNothingWithoutFrames) { EXPECT_EQ(Arrivals{}.state().frames, 0u); }

}  // namespace
}  // namespace netlab
