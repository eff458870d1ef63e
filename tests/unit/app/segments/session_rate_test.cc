#include "app/segments/session_rate.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr auto kAudio = base::BitRate::kbps(128);

class SessionRateTest : public testing::Test {
 protected:
  abr::Decision report(SessionRate::ConnectionId link, SessionRate::ConnectionReport heard) {
    now_ += 50ms;
    if (heard.measured == base::Time{}) heard.measured = now_;
    return rate_.report(link, heard, now_);
  }
  segments::CmsdDynamic dynamics(SessionRate::ConnectionId link) const {
    return rate_.dynamics(link, kAudio, now_);
  }

  SessionRate rate_{{}, {}, 400ms};
  base::Time now_{1h};
};

TEST_F(SessionRateTest, TheConnectionThatCarriesMoreCounts) {
  report(1, {.carries = base::BitRate::mbps(1)});
  report(2, {.carries = base::BitRate::kbps(200)});
  EXPECT_EQ(rate_.carried(), base::BitRate::mbps(1));
  rate_.forget(1);
  report(2, {.carries = base::BitRate::kbps(200)});
  EXPECT_EQ(rate_.carried(), base::BitRate::kbps(200));
}

TEST_F(SessionRateTest, ConnectionsSideBySideShareThePath) {
  report(1, {.carries = base::BitRate::mbps(2), .busy = true});
  report(2, {.carries = base::BitRate::mbps(3), .busy = true});
  EXPECT_EQ(rate_.carried(), base::BitRate::mbps(5));
  report(1, {.carries = base::BitRate::mbps(2)});
  EXPECT_EQ(rate_.carried(), base::BitRate::mbps(3));
}

TEST_F(SessionRateTest, RemembersWhatConnectionsCarried) {
  EXPECT_FALSE(rate_.carried());
  report(1, {.carries = base::BitRate::mbps(2)});
  rate_.forget(1);
  report(2, {});
  EXPECT_EQ(rate_.carried(), base::BitRate::mbps(2));
}

TEST_F(SessionRateTest, AConnectionThatStandsDoesNotCount) {
  report(1, {.carries = base::BitRate::mbps(5), .measured = now_});
  report(2, {.carries = base::BitRate::mbps(1)});
  EXPECT_EQ(rate_.carried(), base::BitRate::mbps(5));
  now_ += 1s;
  report(2, {.carries = base::BitRate::mbps(1)});
  EXPECT_EQ(rate_.carried(), base::BitRate::mbps(1));
}

TEST_F(SessionRateTest, WhatWasMeasuredLongAgoDecidesNothing) {
  const auto then = now_;
  now_ += 1s;
  const auto decision = report(1, {.carries = base::BitRate::mbps(1), .measured = then});
  EXPECT_EQ(decision.reason, abr::Reason::kHold);
}

TEST_F(SessionRateTest, ThePlayerIsAsLateAsHisLatestConnection) {
  report(1, {.carries = base::BitRate::mbps(9), .late = 300ms});
  report(2, {.carries = base::BitRate::mbps(9), .late = 900ms});
  EXPECT_EQ(rate_.late(), 900ms);
  report(2, {.carries = base::BitRate::mbps(9)});
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
  report(1, {.carries = base::BitRate::mbps(1), .rtt = 40ms});
  report(2, {.carries = base::BitRate::kbps(200), .rtt = 50ms});
  EXPECT_EQ(dynamics(2).round_trip, 50ms);
  EXPECT_EQ(dynamics(2).estimated_throughput, base::BitRate::mbps(1));
  EXPECT_NEAR(static_cast<double>(dynamics(2).max_suggested->bps()), 1.1 * (850e3 + 128e3), 1e3);
}

TEST_F(SessionRateTest, DuressEndsASecondAfterALoss) {
  report(1, {.carries = base::BitRate::mbps(9), .lost = true});
  EXPECT_TRUE(dynamics(1).duress);
  EXPECT_FALSE(dynamics(2).duress);
  now_ += 1s;
  EXPECT_FALSE(dynamics(1).duress);
}

TEST_F(SessionRateTest, BeingLateIsDuress) {
  report(1, {.carries = base::BitRate::mbps(9), .late = 2s});
  EXPECT_TRUE(dynamics(1).duress);
}

}  // namespace
}  // namespace app
