#include "server/request_pace.h"

#include <gtest/gtest.h>

#include <string>

namespace server {
namespace {

using namespace std::chrono_literals;

class RequestPaceTest : public testing::Test {
 protected:
  int take(const std::string& address, int requests) {
    int taken = 0;
    for (int i = 0; i < requests; ++i) taken += pace_.take(*Address::parse(address), now_) ? 1 : 0;
    return taken;
  }

  base::Time now_{1h};
  RequestPace pace_{1000, {*Network::parse("10.0.0.1")}};
};

TEST_F(RequestPaceTest, TakesABurstAndThenTheRate) {
  EXPECT_EQ(take("192.0.2.1", 5000), RequestPace::kBurst);
  now_ += 50ms;
  EXPECT_EQ(take("192.0.2.1", 5000), 50);
  now_ += 1h;
  EXPECT_EQ(take("192.0.2.1", 5000), RequestPace::kBurst);
}

TEST_F(RequestPaceTest, AddressesDoNotSlowEachOther) {
  take("192.0.2.1", 5000);
  EXPECT_EQ(take("192.0.2.2", 10), 10);
}

TEST_F(RequestPaceTest, ASiteIsOneClient) {
  take("2001:db8:0:1::1", 5000);
  EXPECT_EQ(take("2001:db8:0:2::1", 10), 0);
  EXPECT_EQ(take("2001:db8:1:2::1", 10), 10);
}

TEST_F(RequestPaceTest, ProxiesAreNotSlowed) { EXPECT_EQ(take("10.0.0.1", 5000), 5000); }

TEST_F(RequestPaceTest, ForgetsTheIdle) {
  take("192.0.2.1", 1);
  take("192.0.2.2", 5000);
  now_ += 10ms;
  pace_.forget_idle(now_);
  EXPECT_EQ(pace_.known(), 1U);
  EXPECT_EQ(take("192.0.2.2", 100), 10);
}

}  // namespace
}  // namespace server
