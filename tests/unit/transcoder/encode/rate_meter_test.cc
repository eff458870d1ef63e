#include "transcoder/encode/rate_meter.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using std::chrono::milliseconds;

constexpr base::Time at(int ms) { return base::Time{milliseconds{ms}}; }

TEST(RateMeterTest, IsZeroAtFirst) { EXPECT_EQ(RateMeter{}.rate(at(0)).bps(), 0); }

TEST(RateMeterTest, SumsTheLastSecond) {
  RateMeter meter;
  for (int ms = 0; ms < 5000; ms += 100) meter.add(at(ms), base::ByteCount{1000});
  EXPECT_EQ(meter.rate(at(4900)).bps(), 10 * 8000);
}

TEST(RateMeterTest, FallsWhenNothingIsAdded) {
  RateMeter meter;
  meter.add(at(0), base::ByteCount{1000});
  EXPECT_EQ(meter.rate(at(999)).bps(), 8000);
  EXPECT_EQ(meter.rate(at(1000)).bps(), 0);
}

}  // namespace
}  // namespace transcoder
