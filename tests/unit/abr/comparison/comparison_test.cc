// The policies that `symbiosis` is compared with behave as their sources say.

#include "abr/policy/comparison.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "abr/comparison/dbr_policy.h"
#include "abr/comparison/delivery_policy.h"
#include "abr/comparison/gcc_policy.h"
#include "abr/policy/make_policy.h"

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

constexpr RateLimits kLimits{
    .min = BitRate::kbps(300), .max = BitRate::mbps(6), .start = BitRate::mbps(4)};

TEST(MakePolicyTest, EveryPolicyBeginsAtTheStartRate) {
  for (const auto kind : {PolicyKind::kSymbiosis, PolicyKind::kItcp, PolicyKind::kDbr,
                          PolicyKind::kDelivery, PolicyKind::kGcc, PolicyKind::kPudica,
                          PolicyKind::kCamel, PolicyKind::kVidaptive, PolicyKind::kOff}) {
    const auto policy = make_policy({.policy = kind, .rate = kLimits});
    const auto first = policy->decide({}, {}, base::Time{1h});
    EXPECT_EQ(first.rate, kLimits.start);
    EXPECT_EQ(first.reason, Reason::kStart);
  }
}

TEST(ComparisonPoliciesTest, EachHasANameForTheConfiguration) {
  std::vector<std::string> names;
  for (const auto& [name, kind] : comparison_policies()) {
    names.emplace_back(name);
    EXPECT_NE(make_comparison_policy({.policy = kind, .rate = kLimits}), nullptr) << name;
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"dbr", "delivery", "gcc", "pudica", "camel", "vidaptive"}));
}

class DbrPolicyTest : public testing::Test {
 protected:
  /// For `time`, TCP takes data at `taken`, and `waiting` of frame data is queued.
  Decision run(base::Duration time, BitRate taken, base::Duration waiting) {
    Decision decision;
    for (const auto end = now_ + time; now_ < end; now_ += 40ms) {
      seen_.delivered += taken * 40ms;
      seen_.queued = decision_.rate * waiting;
      decision = policy_.decide(seen_, {}, now_);
      if (decision.reason != Reason::kHold) decision_ = decision;
    }
    return decision_;
  }

  DbrPolicy policy_{kLimits};
  Observation seen_;
  base::Time now_{1h};
  Decision decision_{.rate = kLimits.start};
};

TEST_F(DbrPolicyTest, HoldsForFourSecondsAtTheStart) {
  run(3900ms, BitRate::mbps(4), 0ms);
  EXPECT_EQ(decision_.rate, kLimits.start);
}

TEST_F(DbrPolicyTest, FallsToTheRateSentWhen200MillisecondsAreQueued) {
  run(3s, BitRate::mbps(4), 0ms);
  const auto before = decision_.rate;
  run(1500ms, BitRate::mbps(1.5), 150ms);
  EXPECT_GE(decision_.rate, before) << "200 ms are required";
  const auto decision = run(1500ms, BitRate::mbps(1.5), 300ms);
  EXPECT_EQ(decision.reason, Reason::kBacklog);
  EXPECT_LE(decision.rate, BitRate::mbps(1.6));
}

TEST_F(DbrPolicyTest, RestoresATenthEveryFourSeconds) {
  run(3s, BitRate::mbps(4), 0ms);
  run(2s, BitRate::mbps(1), 400ms);
  const auto low = decision_.rate;
  run(1s, BitRate::mbps(1), 0ms);
  EXPECT_EQ(decision_.rate, low);
  run(4s, BitRate::mbps(1), 0ms);
  EXPECT_EQ(decision_.rate, low + 0.1 * kLimits.max);
  EXPECT_EQ(decision_.reason, Reason::kRestore);
}

class DeliveryPolicyTest : public testing::Test {
 protected:
  DeliveryPolicyTest() { policy_.decide({}, {}, now_); }
  Decision told(BitRate rate, bool app_limited) {
    now_ += 100ms;
    return policy_.decide({.srtt = 40ms, .delivery_rate = rate, .app_limited = app_limited}, {},
                          now_);
  }
  DeliveryPolicy policy_{kLimits};
  base::Time now_{1h};
};

TEST_F(DeliveryPolicyTest, FollowsTheKernelsRate) {
  EXPECT_EQ(told(BitRate::mbps(2), false).rate, BitRate::mbps(1.8));
  EXPECT_EQ(told(BitRate::mbps(3), false).rate, BitRate::mbps(2.7));
}

TEST_F(DeliveryPolicyTest, FollowsAnApplicationLimitedRateOnlyUpwards) {
  EXPECT_EQ(told(BitRate::mbps(2), true).rate, kLimits.start);
  EXPECT_EQ(told(BitRate::mbps(6), true).rate, BitRate::mbps(5.4));
}

class GccPolicyTest : public testing::Test {
 protected:
  GccPolicyTest() { policy_.decide({}, {}, now_); }
  /// Frames of the target rate, each delayed by `more` than the one before.
  Decision frames(int count, base::Duration more) {
    Decision decision;
    for (int i = 0; i < count; ++i) {
      now_ += 33ms;
      delay_ += more;
      const DeliveredFrame delivered[]{
          {.departed = now_, .acked = now_ + delay_, .size = rate_ * 33ms}};
      decision =
          policy_.decide({.frames = delivered, .srtt = 40ms, .mss = 1448}, {}, now_ + delay_);
      rate_ = decision.rate;
    }
    return decision;
  }
  GccPolicy policy_{kLimits};
  base::Time now_{1h};
  base::Duration delay_ = 40ms;
  BitRate rate_ = kLimits.start;
};

TEST_F(GccPolicyTest, AGrowingDelayLowersTheRate) {
  frames(60, 0ms);
  const auto before = rate_;
  frames(20, 15ms);
  EXPECT_LT(rate_, 0.9 * before);
}

TEST_F(GccPolicyTest, ASteadyDelayRaisesTheRateByEightPercentPerSecond) {
  frames(60, 0ms);
  const auto before = rate_;
  frames(60, 0ms);
  const double growth = rate_ / before;
  EXPECT_NEAR(growth, 1.166, 0.03);
}

}  // namespace
}  // namespace abr
