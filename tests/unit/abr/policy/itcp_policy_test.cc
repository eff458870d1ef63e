#include "abr/policy/itcp_policy.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

class ItcpPolicyTest : public testing::Test {
 protected:
  Decision quiet(base::Duration after) { return decide(after, {}); }
  Decision event(base::Duration after, unsigned rexmt, unsigned dupack) {
    return decide(after, {.rexmt = rexmt, .dupack = dupack, .srtt = 100ms, .served = rate_});
  }
  Decision dupack(base::Duration after) { return event(after, 0, 1); }

  Decision decide(base::Duration after, Observation observation) {
    now_ += after;
    const Decision decision = policy_.decide(observation, {}, now_);
    rate_ = decision.rate;
    return decision;
  }

  ItcpSettings settings_{};
  RateLimits limits_{.min = BitRate::kbps(300), .max = BitRate::mbps(4), .start = BitRate::mbps(4)};
  ItcpPolicy policy_{settings_, limits_};
  base::Time now_{1h};
  BitRate rate_ = limits_.start;
};

TEST_F(ItcpPolicyTest, BeginsAtTheStartRate) {
  const Decision first = quiet(0ms);
  EXPECT_EQ(first.rate, BitRate::mbps(4));
  EXPECT_EQ(first.reason, Reason::kStart);
}

TEST_F(ItcpPolicyTest, RetractsByThePapersRatioOnFastRetransmit) {
  quiet(0ms);
  const Decision decision = dupack(33ms);
  EXPECT_EQ(decision.rate, BitRate::mbps(2.2));
  EXPECT_EQ(decision.reason, Reason::kDupack);
}

TEST_F(ItcpPolicyTest, RetractsByThePapersRatioOnTimeout) {
  quiet(0ms);
  const Decision decision = event(33ms, 1, 0);
  EXPECT_EQ(decision.rate, BitRate::mbps(2.2));
  EXPECT_EQ(decision.reason, Reason::kRexmt);
}

TEST_F(ItcpPolicyTest, CountsEventsWithinARoundTripAsOneCongestion) {
  quiet(0ms);
  dupack(33ms);
  const Decision second = dupack(90ms);
  EXPECT_EQ(second.rate, BitRate::mbps(2.2));
  EXPECT_EQ(second.reason, Reason::kHold);
}

TEST_F(ItcpPolicyTest, RetractsAgainAfterTheGuard) {
  quiet(0ms);
  dupack(33ms);
  EXPECT_EQ(dupack(110ms).rate, BitRate::mbps(1.21));
}

TEST_F(ItcpPolicyTest, RetractsFromTheRateServedWhenThatIsLower) {
  quiet(0ms);
  const Decision decision =
      decide(33ms, {.rexmt = 0, .dupack = 1, .srtt = 100ms, .served = BitRate::mbps(2)});
  EXPECT_EQ(decision.rate, BitRate::mbps(1.1));
}

TEST_F(ItcpPolicyTest, NeverGoesBelowTheFloor) {
  quiet(0ms);
  for (int i = 0; i < 20; ++i) dupack(200ms);
  EXPECT_EQ(rate_, limits_.min);
}

TEST_F(ItcpPolicyTest, ReportsNoRetractionAtTheFloor) {
  quiet(0ms);
  for (int i = 0; i < 20; ++i) dupack(200ms);
  EXPECT_EQ(dupack(200ms).reason, Reason::kHold);
  EXPECT_EQ(quiet(settings_.hold_max - 1ms).reason, Reason::kHold);
  EXPECT_EQ(quiet(1ms).reason, Reason::kRestore);
}

TEST_F(ItcpPolicyTest, RestoresStepByStepWhenQuiet) {
  quiet(0ms);
  dupack(33ms);
  EXPECT_EQ(quiet(990ms).reason, Reason::kHold);
  const Decision first = quiet(10ms);
  EXPECT_EQ(first.rate, BitRate::mbps(2.6));
  EXPECT_EQ(first.reason, Reason::kRestore);
  EXPECT_EQ(quiet(999ms).rate, BitRate::mbps(2.6));
  EXPECT_EQ(quiet(1ms).rate, BitRate::mbps(3.0));
}

TEST_F(ItcpPolicyTest, StopsAtTheCeiling) {
  quiet(0ms);
  dupack(33ms);
  for (int i = 0; i < 10; ++i) quiet(1s);
  EXPECT_EQ(rate_, limits_.max);
  EXPECT_EQ(quiet(1s).reason, Reason::kHold);
}

TEST_F(ItcpPolicyTest, DoublesTheHoldWithEachRepeatedEvent) {
  quiet(0ms);
  dupack(33ms);   // hold 1 s
  dupack(200ms);  // hold 2 s
  dupack(200ms);  // hold 4 s
  EXPECT_EQ(quiet(3999ms).reason, Reason::kHold);
  EXPECT_EQ(quiet(1ms).reason, Reason::kRestore);
}

TEST_F(ItcpPolicyTest, TheHoldIsBounded) {
  quiet(0ms);
  for (int i = 0; i < 40; ++i) dupack(200ms);
  EXPECT_EQ(quiet(settings_.hold_max).reason, Reason::kRestore);
}

TEST_F(ItcpPolicyTest, TheHoldIsShortAgainAfterAFullRestoration) {
  quiet(0ms);
  dupack(33ms);
  dupack(200ms);
  for (int i = 0; i < 30; ++i) quiet(1s);
  ASSERT_EQ(rate_, limits_.max);
  dupack(1s);
  EXPECT_EQ(quiet(1s).reason, Reason::kRestore);
}

TEST_F(ItcpPolicyTest, EventsWithinTheGuardPostponeRestoration) {
  quiet(0ms);
  dupack(33ms);
  dupack(50ms);
  EXPECT_EQ(quiet(960ms).reason, Reason::kHold);
  EXPECT_EQ(quiet(40ms).reason, Reason::kRestore);
}

TEST_F(ItcpPolicyTest, DoesNotRestoreWithABacklog) {
  quiet(0ms);
  dupack(33ms);
  EXPECT_EQ(decide(2s, {.backlog = 300ms}).reason, Reason::kHold);
  EXPECT_EQ(quiet(990ms).reason, Reason::kHold);
  EXPECT_EQ(quiet(10ms).reason, Reason::kRestore);
}

TEST_F(ItcpPolicyTest, RestoresWithASmallBacklog) {
  quiet(0ms);
  dupack(33ms);
  EXPECT_EQ(decide(1s, {.backlog = 50ms}).reason, Reason::kRestore);
}

TEST_F(ItcpPolicyTest, RisesFromAStartBelowTheCeiling) {
  ItcpPolicy policy{settings_, {.min = limits_.min, .max = limits_.max, .start = BitRate::mbps(2)}};
  policy.decide({}, {}, now_);
  EXPECT_EQ(policy.decide({}, {}, now_ + 1s).rate, BitRate::mbps(2.4));
}

}  // namespace
}  // namespace abr
