#include "app/segments/session_rate.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr auto kAudio = base::BitRate::kbps(128);

class SessionRateTest : public testing::Test {
 protected:
  abr::Decision add(SessionRate::ConnectionId connection, SessionRate::ConnectionReport report) {
    now_ += 50ms;
    if (report.measured == base::Time{}) report.measured = now_;
    return rate_.report(connection, report, now_);
  }
  segments::CmsdDynamic dynamics(SessionRate::ConnectionId connection) const {
    return rate_.dynamics(connection, kAudio, now_);
  }

  SessionRate rate_{{}, {}, 400ms};
  base::Time now_{1h};
};

TEST_F(SessionRateTest, TheFasterConnectionCounts) {
  add(1, {.throughput = base::BitRate::mbps(1)});
  add(2, {.throughput = base::BitRate::kbps(200)});
  EXPECT_EQ(rate_.throughput(), base::BitRate::mbps(1));
  rate_.forget(1, {});
  add(2, {.throughput = base::BitRate::kbps(200)});
  EXPECT_EQ(rate_.throughput(), base::BitRate::kbps(200));
}

TEST_F(SessionRateTest, ConcurrentConnectionsShareThePath) {
  add(1, {.throughput = base::BitRate::mbps(2), .busy = true});
  add(2, {.throughput = base::BitRate::mbps(3), .busy = true});
  EXPECT_EQ(rate_.throughput(), base::BitRate::mbps(5));
  add(1, {.throughput = base::BitRate::mbps(2)});
  EXPECT_EQ(rate_.throughput(), base::BitRate::mbps(3));
}

TEST_F(SessionRateTest, RemembersTheLastThroughput) {
  EXPECT_FALSE(rate_.throughput());
  add(1, {.throughput = base::BitRate::mbps(2)});
  rate_.forget(1, {});
  add(2, {});
  EXPECT_EQ(rate_.throughput(), base::BitRate::mbps(2));
}

TEST_F(SessionRateTest, AStalledConnectionDoesNotCount) {
  add(1, {.throughput = base::BitRate::mbps(5), .measured = now_});
  add(2, {.throughput = base::BitRate::mbps(1)});
  EXPECT_EQ(rate_.throughput(), base::BitRate::mbps(5));
  now_ += 1s;
  add(2, {.throughput = base::BitRate::mbps(1)});
  EXPECT_EQ(rate_.throughput(), base::BitRate::mbps(1));
}

TEST_F(SessionRateTest, SilenceLowersTheRateOnlyWhileItLasts) {
  add(1, {.throughput = base::BitRate::mbps(2)});
  const auto before = rate_.rate();
  add(1, {.throughput = base::BitRate{}, .silent = true});
  EXPECT_LT(rate_.rate(), 0.5 * before);
  add(1, {.throughput = base::BitRate::mbps(2)});
  EXPECT_EQ(rate_.rate(), before);
}

TEST_F(SessionRateTest, LeavesTimeBetweenLoads) {
  for (int i = 0; i < 100; ++i) rate_.loaded(400ms, 240ms);
  add(1, {.throughput = base::BitRate::mbps(2)});
  EXPECT_NEAR(static_cast<double>(rate_.rate().bps()), 0.35 * 2e6, 1e4);
}

TEST_F(SessionRateTest, AnOldMeasurementDecidesNothing) {
  const auto then = now_;
  now_ += 1s;
  const auto decision = add(1, {.throughput = base::BitRate::mbps(1), .measured = then});
  EXPECT_EQ(decision.reason, abr::Reason::kHold);
}

TEST_F(SessionRateTest, ThePlayerIsAsLateAsItsLatestConnection) {
  add(1, {.throughput = base::BitRate::mbps(9), .late = 300ms});
  add(2, {.throughput = base::BitRate::mbps(9), .late = 900ms});
  EXPECT_EQ(rate_.late(), 900ms);
  add(2, {.throughput = base::BitRate::mbps(9)});
  EXPECT_EQ(rate_.late(), 300ms);
}

TEST_F(SessionRateTest, SuggestsTheStartRateAtFirst) {
  const auto cmsd = dynamics(1);
  EXPECT_FALSE(cmsd.estimated_throughput);
  EXPECT_FALSE(cmsd.round_trip);
  EXPECT_NEAR(static_cast<double>(cmsd.max_suggested->bps()), 1.1 * (2e6 + 128e3), 1e3);
  EXPECT_FALSE(cmsd.duress);
}

TEST_F(SessionRateTest, ReportsTheResponsesOwnConnection) {
  add(1, {.throughput = base::BitRate::mbps(1), .rtt = 40ms});
  add(2, {.throughput = base::BitRate::kbps(200), .rtt = 50ms});
  EXPECT_EQ(dynamics(2).round_trip, 50ms);
  EXPECT_EQ(dynamics(2).estimated_throughput, base::BitRate::mbps(1));
  EXPECT_NEAR(static_cast<double>(dynamics(2).max_suggested->bps()), 1.1 * (850e3 + 128e3), 1e3);
}

TEST_F(SessionRateTest, DuressEndsASecondAfterALoss) {
  add(1, {.throughput = base::BitRate::mbps(9), .lost = true});
  EXPECT_TRUE(dynamics(1).duress);
  EXPECT_FALSE(dynamics(2).duress);
  now_ += 1s;
  EXPECT_FALSE(dynamics(1).duress);
}

TEST_F(SessionRateTest, BeingLateIsDuress) {
  add(1, {.throughput = base::BitRate::mbps(9), .late = 2s});
  EXPECT_TRUE(dynamics(1).duress);
}

}  // namespace
}  // namespace app
