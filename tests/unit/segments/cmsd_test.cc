#include "segments/cmsd.h"

#include <gmock/gmock.h>

namespace segments {
namespace {

using namespace std::chrono_literals;

TEST(CmsdTest, ListsKeysInTheOrderOfTheSpecification) {
  EXPECT_EQ(header({.estimated_throughput = base::BitRate::mbps(5.2),
                    .round_trip = 40ms,
                    .max_suggested = base::BitRate::mbps(3.5),
                    .duress = true}),
            "\"symcast\";etp=5200;rtt=40;mb=3500;du");
}

TEST(CmsdTest, OmitsUnknownKeys) {
  EXPECT_EQ(header({}), "\"symcast\"");
  EXPECT_EQ(header({.round_trip = 40ms}), "\"symcast\";rtt=40");
}

TEST(CmsdTest, RoundsThroughputAndRoundTripToTheNearest) {
  EXPECT_EQ(header({.estimated_throughput = base::BitRate{1499}, .round_trip = 1499us}),
            "\"symcast\";etp=1;rtt=1");
  EXPECT_EQ(header({.estimated_throughput = base::BitRate{1500}, .round_trip = 1501us}),
            "\"symcast\";etp=2;rtt=2");
}

TEST(CmsdTest, RoundsTheSuggestedRateUp) {
  EXPECT_EQ(header({.max_suggested = base::BitRate{1'000'000}}), "\"symcast\";mb=1000");
  EXPECT_EQ(header({.max_suggested = base::BitRate{1'000'001}}), "\"symcast\";mb=1001");
}

}  // namespace
}  // namespace segments
