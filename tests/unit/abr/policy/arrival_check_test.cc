#include "abr/policy/arrival_check.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

class ArrivalCheckTest : public testing::Test {
 protected:
  ArrivalCheckTest() { passes(BitRate::mbps(1), BitRate::mbps(1)); }

  /// A round trip later, in which data arrived at that rate.
  bool passes(BitRate delivered, BitRate rate, base::Duration after = 100ms) {
    seen_.delivered += delivered * after;
    return check_.passes(seen_, rate, now_ += after);
  }

  ArrivalCheck check_;
  Observation seen_{.srtt = 80ms, .frame_interval = 20ms};
  base::Time now_{1h};
};

TEST_F(ArrivalCheckTest, PassesWhenTheRateBeforeTheStepArrives) {
  EXPECT_TRUE(passes(BitRate::mbps(1), BitRate::mbps(1.5)));
  EXPECT_TRUE(passes(BitRate::mbps(1.5), BitRate::mbps(2.2)));
  EXPECT_TRUE(passes(BitRate::mbps(1.7), BitRate::mbps(2.2))) << "frames vary";
}

TEST_F(ArrivalCheckTest, FailsWhenMuchLessArrives) {
  EXPECT_TRUE(passes(BitRate::mbps(1), BitRate::mbps(1.5)));
  EXPECT_FALSE(passes(BitRate::mbps(1), BitRate::mbps(2.2)));
}

TEST_F(ArrivalCheckTest, ALowerRateNeedNotArriveAtTheOneBefore) {
  EXPECT_TRUE(passes(BitRate::mbps(1), BitRate::mbps(0.5)));
  EXPECT_TRUE(passes(BitRate::mbps(0.5), BitRate::mbps(0.5)));
}

TEST_F(ArrivalCheckTest, AStepOfLongAgoShowsNothing) {
  EXPECT_TRUE(passes({}, BitRate::mbps(1), 300ms));
}

}  // namespace
}  // namespace abr
