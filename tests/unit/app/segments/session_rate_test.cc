#include "app/segments/session_rate.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr auto kSound = base::BitRate::kbps(128);

class SessionRateTest : public testing::Test {
 protected:
  abr::Decision hear(SessionRate::LinkId link, SessionRate::Heard heard) {
    now_ += 50ms;
    if (heard.measured == base::Time{}) heard.measured = now_;
    return rate_.hear(link, heard, now_);
  }
  segments::CmsdDynamic dynamics(SessionRate::LinkId link) const {
    return rate_.dynamics(link, kSound, now_);
  }

  SessionRate rate_{{}, {}, 400ms};
  base::Time now_{1h};
};

TEST_F(SessionRateTest, TheConnectionThatCarriesMoreCounts) {
  hear(1, {.carries = base::BitRate::mbps(1)});
  hear(2, {.carries = base::BitRate::kbps(200)});
  EXPECT_EQ(rate_.carried(), base::BitRate::mbps(1));
  rate_.forget(1);
  hear(2, {.carries = base::BitRate::kbps(200)});
  EXPECT_EQ(rate_.carried(), base::BitRate::kbps(200));
}

TEST_F(SessionRateTest, ConnectionsSideBySideShareThePath) {
  hear(1, {.carries = base::BitRate::mbps(2), .busy = true});
  hear(2, {.carries = base::BitRate::mbps(3), .busy = true});
  EXPECT_EQ(rate_.carried(), base::BitRate::mbps(5));
  hear(1, {.carries = base::BitRate::mbps(2)});
  EXPECT_EQ(rate_.carried(), base::BitRate::mbps(3));
}

TEST_F(SessionRateTest, RemembersWhatConnectionsCarried) {
  EXPECT_FALSE(rate_.carried());
  hear(1, {.carries = base::BitRate::mbps(2)});
  rate_.forget(1);
  hear(2, {});
  EXPECT_EQ(rate_.carried(), base::BitRate::mbps(2));
}

TEST_F(SessionRateTest, AConnectionThatStandsDoesNotCount) {
  hear(1, {.carries = base::BitRate::mbps(5), .measured = now_});
  hear(2, {.carries = base::BitRate::mbps(1)});
  EXPECT_EQ(rate_.carried(), base::BitRate::mbps(5));
  now_ += 1s;
  hear(2, {.carries = base::BitRate::mbps(1)});
  EXPECT_EQ(rate_.carried(), base::BitRate::mbps(1));
}

TEST_F(SessionRateTest, WhatWasMeasuredLongAgoDecidesNothing) {
  const auto then = now_;
  now_ += 1s;
  const auto decision = hear(1, {.carries = base::BitRate::mbps(1), .measured = then});
  EXPECT_EQ(decision.reason, abr::Reason::kHold);
}

TEST_F(SessionRateTest, ThePlayerIsAsLateAsHisLatestConnection) {
  hear(1, {.carries = base::BitRate::mbps(9), .late = 300ms});
  hear(2, {.carries = base::BitRate::mbps(9), .late = 900ms});
  EXPECT_EQ(rate_.late(), 900ms);
  hear(2, {.carries = base::BitRate::mbps(9)});
  EXPECT_EQ(rate_.late(), 300ms);
}

TEST_F(SessionRateTest, BeforeAnythingIsKnownTheStartIsSuggested) {
  const auto told = dynamics(1);
  EXPECT_FALSE(told.estimated_throughput);
  EXPECT_FALSE(told.round_trip);
  EXPECT_NEAR(static_cast<double>(told.max_suggested->bps()), 1.1 * (2e6 + 128e3), 1e3);
  EXPECT_FALSE(told.duress);
}

TEST_F(SessionRateTest, TellsOfItsOwnConnection) {
  hear(1, {.carries = base::BitRate::mbps(1), .rtt = 40ms});
  hear(2, {.carries = base::BitRate::kbps(200), .rtt = 50ms});
  EXPECT_EQ(dynamics(2).round_trip, 50ms);
  EXPECT_EQ(dynamics(2).estimated_throughput, base::BitRate::mbps(1));
  EXPECT_NEAR(static_cast<double>(dynamics(2).max_suggested->bps()), 1.1 * (850e3 + 128e3), 1e3);
}

TEST_F(SessionRateTest, DuressEndsASecondAfterALoss) {
  hear(1, {.carries = base::BitRate::mbps(9), .lost = true});
  EXPECT_TRUE(dynamics(1).duress);
  EXPECT_FALSE(dynamics(2).duress);
  now_ += 1s;
  EXPECT_FALSE(dynamics(1).duress);
}

TEST_F(SessionRateTest, BeingLateIsDuress) {
  hear(1, {.carries = base::BitRate::mbps(9), .late = 2s});
  EXPECT_TRUE(dynamics(1).duress);
}

}  // namespace
}  // namespace app
