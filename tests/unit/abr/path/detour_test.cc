#include "abr/path/detour.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;

class DetourTest : public testing::Test {
 protected:
  /// For so long, heads come so late beyond the kernel's least round trip.
  template <typename Late>
  void pictures(base::Duration time, Late late, bool filled = false) {
    for (const auto end = now_ + time; now_ < end; now_ += 33ms) {
      detour_.add(late() - base::seconds(detour_.length()), filled, now_);
    }
  }
  Detour detour_;
  base::Time now_{1h};
};

TEST_F(DetourTest, AConstantWaitIsALongerWay) {
  pictures(1s, [] { return 0.05; });
  EXPECT_EQ(detour_.length(), 0ms);
  pictures(2s, [] { return 0.05; });
  EXPECT_EQ(detour_.length(), 50ms);
}

TEST_F(DetourTest, AQueueWavers) {
  double queue = 0;
  pictures(20s, [&] { return 0.03 + (queue = queue > 0.05 ? 0 : queue + 0.001); });
  EXPECT_EQ(detour_.length(), 0ms);
}

TEST_F(DetourTest, AQueueThatWeMayFillIsNone) {
  pictures(
      20s, [] { return 0.05; }, true);
  EXPECT_EQ(detour_.length(), 0ms);
}

TEST_F(DetourTest, TheShorterWayIsSeenAtOnce) {
  pictures(5s, [] { return 0.05; });
  pictures(40ms, [] { return 0.0; });
  EXPECT_EQ(detour_.length(), 0ms);
}

TEST_F(DetourTest, LittleIsNotWorthIt) {
  pictures(20s, [] { return 0.008; });
  EXPECT_EQ(detour_.length(), 0ms);
}

}  // namespace
}  // namespace abr
