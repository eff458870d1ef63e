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
    return rate_.hear(link, heard, now_);
  }
  segments::CmsdDynamic dynamics(SessionRate::LinkId link) const {
    return rate_.dynamics(link, kSound, now_);
  }

  SessionRate rate_{{}, {}};
  base::Time now_{1h};
};

TEST_F(SessionRateTest, TheConnectionThatCarriesMoreCounts) {
  hear(1, {.carries = base::BitRate::mbps(1)});
  hear(2, {.carries = base::BitRate::kbps(200)});
  EXPECT_EQ(rate_.carries(), base::BitRate::mbps(1));
  rate_.forget(1);
  EXPECT_EQ(rate_.carries(), base::BitRate::kbps(200));
}

TEST_F(SessionRateTest, AConnectionThatStandsDoesNotCount) {
  hear(1, {.carries = base::BitRate::mbps(5), .measured = now_});
  hear(2, {.carries = base::BitRate::mbps(1), .measured = now_ + 500ms});
  EXPECT_EQ(rate_.carries(), base::BitRate::mbps(5));
  hear(2, {.carries = base::BitRate::mbps(1), .measured = now_ + 1100ms});
  EXPECT_EQ(rate_.carries(), base::BitRate::mbps(1));
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
