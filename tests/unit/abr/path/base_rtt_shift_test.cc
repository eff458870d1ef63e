#include "abr/path/base_rtt_shift.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;

class BaseRttShiftTest : public testing::Test {
 protected:
  /// For `time`, the ACKs of heads arrive `late()` seconds after the kernel's minimum RTT.
  template <typename Late>
  void frames(base::Duration time, Late late, bool filled = false) {
    for (const auto end = now_ + time; now_ < end; now_ += 33ms) {
      base_rtt_shift_.add(late() - base::seconds(base_rtt_shift_.length()), filled, now_);
    }
  }
  BaseRttShift base_rtt_shift_;
  base::Time now_{1h};
};

TEST_F(BaseRttShiftTest, AConstantWaitIsALongerPath) {
  frames(1s, [] { return 0.05; });
  EXPECT_EQ(base_rtt_shift_.length(), 0ms);
  frames(2s, [] { return 0.05; });
  EXPECT_EQ(base_rtt_shift_.length(), 50ms);
}

TEST_F(BaseRttShiftTest, AFluctuatingWaitIsAQueue) {
  double queue = 0;
  frames(20s, [&] { return 0.03 + (queue = queue > 0.05 ? 0 : queue + 0.001); });
  EXPECT_EQ(base_rtt_shift_.length(), 0ms);
}

TEST_F(BaseRttShiftTest, AConstantWaitThatWeMayCauseIsAQueue) {
  frames(
      20s, [] { return 0.05; }, true);
  EXPECT_EQ(base_rtt_shift_.length(), 0ms);
}

TEST_F(BaseRttShiftTest, AShorterPathIsSeenAtOnce) {
  frames(5s, [] { return 0.05; });
  frames(40ms, [] { return 0.0; });
  EXPECT_EQ(base_rtt_shift_.length(), 0ms);
}

TEST_F(BaseRttShiftTest, IgnoresASmallShift) {
  frames(20s, [] { return 0.008; });
  EXPECT_EQ(base_rtt_shift_.length(), 0ms);
}

}  // namespace
}  // namespace abr
