// The congestion controls, ACK by ACK.

#include "congestion_control.h"

#include <gtest/gtest.h>

#include <memory>

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::Duration;
using base::Time;
using sim::AckSample;
using sim::CongestionControl;

constexpr Duration kRoundTrip = 40ms;
constexpr std::uint32_t kMss = 1448;

class CubicTest : public testing::Test {
 protected:
  /// Acknowledges the whole window in each of `rounds` rounds.
  void grow(int rounds, CongestionControl& control) {
    for (; rounds > 0; --rounds, now_ += kRoundTrip) {
      control.on_ack({.now = now_,
                      .acked = control.window(),
                      .rtt = kRoundTrip,
                      .min_rtt = kRoundTrip,
                      .window_limited = true});
    }
  }

  Time now_{1h};
};

TEST_F(CubicTest, TheWindowDoesNotGrowWhileTheApplicationIsIdle) {
  const auto busy = sim::make_cubic();
  busy->set_window(100);
  grow(100, *busy);
  const auto idle = sim::make_cubic();
  idle->set_window(100);
  grow(50, *idle);
  now_ += 10s;
  idle->on_restart(now_, 10s, true);
  grow(50, *idle);
  EXPECT_NEAR(idle->window(), busy->window(), 1e-6);
}

TEST_F(CubicTest, ATimeoutDuringARecoveryDoesNotCutSsthreshAgain) {
  const auto control = sim::make_cubic();
  control->set_window(100);
  control->on_loss();
  control->on_timeout(true);
  EXPECT_EQ(control->window(), 1);
  EXPECT_NEAR(*control->ssthresh(), 70, 1e-9);
  control->on_timeout(false);
  EXPECT_EQ(control->ssthresh(), 2);
}

// After a timeout the earlier window is forgotten.
TEST_F(CubicTest, AfterATimeoutTheWindowGrowsByFivePercentInEachRound) {
  const auto control = sim::make_cubic();
  control->set_window(100);
  control->on_timeout(false);
  grow(8, *control);
  const double before = control->window();
  ASSERT_FALSE(control->in_slow_start());
  grow(1, *control);
  EXPECT_NEAR(control->window(), 1.05 * before, 0.02 * before);
}

class BbrTest : public testing::Test {
 protected:
  static constexpr BitRate kRate = BitRate::mbps(10);

  /// Acknowledges the next round.
  void ack(AckSample sample = {}) {
    sample.now = now_ += kRoundTrip + 1ms;
    sample.rtt = sample.min_rtt = kRoundTrip;
    if (sample.delivery_rate.bps() == 0) sample.delivery_rate = kRate;
    if (sample.acked == 0) sample.acked = 10;
    sample.delivered_before = delivered_;
    sample.delivered = delivered_ += 10;
    bbr_->on_ack(sample);
  }
  /// Reaches PROBE_BW, at the beginning of a cycle.
  void reach_cycle() {
    for (int i = 0; i < 30 && bbr_->pacing() != at(1.25); ++i) ack();
    ASSERT_EQ(bbr_->pacing(), at(1.25));
  }
  /// Reaches DRAIN, which lasts while more is in flight than the path and the hosts hold.
  void reach_drain() {
    for (int i = 0; i < 10 && bbr_->pacing() != at(1 / 2.885); ++i) ack({.in_flight = 84});
    ASSERT_EQ(bbr_->pacing(), at(1 / 2.885));
  }
  static BitRate at(double gain) { return (0.99 * gain) * kRate; }

  std::unique_ptr<CongestionControl> bbr_ = sim::make_bbr(kMss);
  Time now_{1h};
  std::int64_t delivered_ = 0;
};

// 34.5 segments are on the path, and three bursts of two in the hosts: 42, rounded to an even
// number.
TEST_F(BbrTest, DrainEndsWhenOnlyThePathAndTheHostsHoldData) {
  reach_drain();
  ack({.in_flight = 43});
  EXPECT_EQ(bbr_->pacing(), at(1 / 2.885));
  ack({.in_flight = 42});
  EXPECT_EQ(bbr_->pacing(), at(1));
}

TEST_F(BbrTest, DataThatPacingHoldsBackIsNotInTheNetwork) {
  reach_drain();
  ack({.in_flight = 50, .departs_in = 10ms});
  EXPECT_EQ(bbr_->pacing(), at(1));
}

// The probe's target: 1.25 pipes, the hosts' part and two segments. A burst that joins them counts.
TEST_F(BbrTest, TheDataInFlightBeforeTheAckEndsAProbe) {
  reach_cycle();
  ack({.in_flight = 52, .in_flight_before = 49});
  EXPECT_EQ(bbr_->pacing(), at(1.25));
  ack({.in_flight = 40, .in_flight_before = 50});
  EXPECT_EQ(bbr_->pacing(), at(0.75));
}

TEST_F(BbrTest, FourSegmentsMayBeInFlightAfterATimeout) {
  reach_cycle();
  bbr_->on_timeout(false);
  EXPECT_EQ(bbr_->window(), 1);
  ack({.acked = 1, .lost = 5});
  EXPECT_EQ(bbr_->window(), 4);
}

TEST_F(BbrTest, TheFirstRoundTripSetsThePace) {
  ack({.acked = 1, .delivery_rate = BitRate::kbps(290)});
  EXPECT_NEAR(bbr_->pacing() / BitRate::of(base::ByteCount{10 * kMss}, kRoundTrip), 0.99 * 2.885,
              1e-3);
}

TEST_F(BbrTest, AfterAnIdleTimeItPacesAtItsBandwidth) {
  reach_cycle();
  bbr_->on_restart(now_ + 1s, 1s, true);
  EXPECT_EQ(bbr_->pacing(), at(1));
}

// A round at the bandwidth brings 35 segments. Fewer are no aggregation beyond those of one ACK.
TEST_F(BbrTest, TheWindowHasRoomForAggregatedAcksForTenRounds) {
  reach_cycle();
  for (int i = 0; i < 20; ++i) ack({.acked = 20});
  const double before = bbr_->window();
  ack({.acked = 60});
  EXPECT_EQ(bbr_->window() - before, 40);
  for (int i = 0; i < 15; ++i) ack({.acked = 20});
  EXPECT_EQ(bbr_->window(), before);
}

TEST_F(BbrTest, ALossIsNotAnIdleTime) {
  reach_cycle();
  bbr_->on_restart(now_ + 1s, 1s, false);
  EXPECT_EQ(bbr_->pacing(), at(1.25));
}

}  // namespace
