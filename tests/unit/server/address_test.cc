#include "server/address.h"

#include <gtest/gtest.h>

namespace server {
namespace {

TEST(ReachableTextTest, SaysWhereThisMachineReachesAnEndpoint) {
  EXPECT_EQ(reachable_text(*Endpoint::parse("[::]:8080")), "localhost:8080");
  EXPECT_EQ(reachable_text(*Endpoint::parse("0.0.0.0:80")), "localhost:80");
  EXPECT_EQ(reachable_text(*Endpoint::parse("[::1]:8080")), "[::1]:8080");
  EXPECT_EQ(reachable_text(*Endpoint::parse("192.0.2.1:8080")), "192.0.2.1:8080");
}

}  // namespace
}  // namespace server
