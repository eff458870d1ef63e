#include "abr/networks/network_history.h"

#include <gtest/gtest.h>

#include <string>

namespace abr {
namespace {

using namespace std::chrono_literals;
using Reason = NetworkHistory::Reason;

constexpr auto kBbr = CongestionControl::kBbr;
constexpr auto kCubic = CongestionControl::kCubic;

base::Network network_of(const std::string& address) {
  return NetworkHistory::network_of(*base::Address::parse(address));
}

class NetworkHistoryTest : public testing::Test {
 protected:
  /// A minute of viewing with that quality per second.
  void watch(CongestionControl control, double quality) {
    history_.add(kHome, control, {60, 60 * quality}, now_);
  }

  const base::Network kHome = network_of("192.0.2.7");
  NetworkHistory::Time now_{std::chrono::days{20'000}};
  NetworkHistory history_{3};
};

TEST_F(NetworkHistoryTest, ANetworkIsA24OrA48) {
  EXPECT_EQ(kHome.text(), "192.0.2.0/24");
  EXPECT_EQ(network_of("2001:db8:1:2::3").text(), "2001:db8:1::/48");
}

TEST_F(NetworkHistoryTest, AnUnknownNetworkBeginsWithBbr) {
  EXPECT_EQ(history_.start(kHome, now_).control, kBbr);
  EXPECT_EQ(history_.start(kHome, now_).reason, Reason::kUnknown);
}

TEST_F(NetworkHistoryTest, NothingIsTriedWhereViewersMissLittle) {
  watch(kBbr, -0.1);
  for (int day = 0; day < 3; ++day) {
    EXPECT_EQ(history_.start(kHome, now_ + day * 24h).control, kBbr);
  }
}

TEST_F(NetworkHistoryTest, OneConnectionPerDayTriesCubicWhereViewersMissSomething) {
  watch(kBbr, -1);
  EXPECT_EQ(history_.best(kHome, now_).reason, Reason::kBest);
  EXPECT_EQ(history_.start(kHome, now_).reason, Reason::kTrial);
  EXPECT_EQ(history_.start(kHome, now_ + 1h).reason, Reason::kBest);
  EXPECT_EQ(history_.start(kHome, now_ + 23h).control, kBbr);
  EXPECT_EQ(history_.start(kHome, now_ + 24h).control, kCubic);
}

TEST_F(NetworkHistoryTest, TheBetterOneServesTheNetwork) {
  watch(kBbr, -1);
  watch(kCubic, -0.5);
  EXPECT_EQ(history_.start(kHome, now_).control, kCubic);
  EXPECT_EQ(history_.start(network_of("192.0.3.7"), now_).control, kBbr) << "another network";
  for (int i = 0; i < 60; ++i) watch(kCubic, -1.5);
  EXPECT_EQ(history_.start(kHome, now_).control, kBbr) << "no longer";
}

TEST_F(NetworkHistoryTest, CubicHasToBeClearlyBetter) {
  watch(kBbr, -1);
  watch(kCubic, -0.95);
  EXPECT_EQ(history_.start(kHome, now_).control, kBbr);
}

TEST_F(NetworkHistoryTest, WhatWasLearnedLongAgoIsForgotten) {
  watch(kBbr, -1);
  watch(kCubic, -0.5);
  now_ += 24h * 7;
  EXPECT_EQ(history_.start(kHome, now_).reason, Reason::kUnknown);
  EXPECT_EQ(history_.start(kHome, now_).control, kBbr);
}

TEST_F(NetworkHistoryTest, AClockThatIsSetBackChangesNothing) {
  watch(kBbr, -1);
  watch(kCubic, -0.5);
  EXPECT_EQ(history_.start(kHome, now_ - 24h * 365).control, kCubic);
}

TEST_F(NetworkHistoryTest, BeyondTheCapacityTheOneWithoutViewersForLongestIsForgotten) {
  const auto add = [&](const std::string& address) {
    history_.add(network_of(address), kCubic, {60, -30}, now_);
  };
  add("192.0.1.1");
  add("192.0.2.1");
  add("192.0.3.1");
  add("192.0.1.1");
  add("192.0.4.1");
  EXPECT_EQ(history_.forgotten(), 1U);
  EXPECT_EQ(history_.entries().size(), 3U);
  EXPECT_EQ(history_.best(network_of("192.0.2.1"), now_).reason, Reason::kUnknown);
  EXPECT_EQ(history_.best(network_of("192.0.1.1"), now_).reason, Reason::kBest);
}

TEST_F(NetworkHistoryTest, ARestoredHistoryChoosesTheSame) {
  watch(kBbr, -1);
  watch(kCubic, -0.5);
  history_.add(network_of("192.0.9.1"), kBbr, {60, 0}, now_);
  NetworkHistory restored{3};
  for (const auto& entry : history_.entries()) restored.restore(entry);
  EXPECT_EQ(restored.start(kHome, now_).control, kCubic);
  EXPECT_EQ(restored.entries().front().network, network_of("192.0.9.1"));
}

TEST_F(NetworkHistoryTest, NoSecondsAreNoEvidence) {
  history_.add(kHome, kCubic, {}, now_);
  EXPECT_TRUE(history_.entries().empty());
}

}  // namespace
}  // namespace abr
