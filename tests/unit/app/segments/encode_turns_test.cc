#include "app/segments/encode_turns.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kCost = 400ms;

/// An encoder with a fifth of a CPU, each of whose segments takes 400 ms of CPU time and as long.
class EncodeTurnsTest : public testing::Test {
 protected:
  static EncodeTurns::Asker asker(int host, std::uint64_t session = 1) {
    const auto address = server::Address::parse("192.0.2." + std::to_string(host));
    return {server::AddressBlock::largest(*address), session};
  }

  /// Encodes as long as there is CPU time, until `end`, and renews all requests.
  void run(base::Duration time) {
    for (const auto end = now_ + time; now_ < end; now_ += 40ms) {
      for (const auto& [id, asker] : pending_) turns_.renew(id, now_);
      if (encoding_ && now_ - began_ >= kCost) {
        turns_.finish(kCost, now_);
        encoding_.reset();
      }
      if (encoding_) continue;
      encoding_ = turns_.take(now_);
      if (!encoding_) continue;
      began_ = now_;
      ++coded_[pending_.at(*encoding_)];
      pending_.erase(*encoding_);
    }
  }

  bool ask(int host, std::uint64_t session = 1) {
    const auto verdict = turns_.ask(++id_, asker(host, session), now_);
    if (verdict.displaced) pending_.erase(*verdict.displaced);
    if (verdict.accepted) pending_[id_] = host;
    return verdict.accepted;
  }

  void use_up_the_credit() {
    while (ask(99)) run(400ms);
    run(EncodeTurns::kMaxWait);
    coded_.clear();
    pending_.clear();
  }

  base::Time now_{1h};
  EncodeTurns turns_{0.2, now_};
  EncodeTurns::Id id_ = 0;
  std::map<EncodeTurns::Id, int> pending_;  ///< by host
  std::map<int, int> coded_;                ///< segments of each host
  std::optional<EncodeTurns::Id> encoding_;
  base::Time began_{};
};

TEST_F(EncodeTurnsTest, OneSegmentAtATime) {
  EXPECT_TRUE(ask(1));
  EXPECT_EQ(turns_.take(now_), 1u);
  turns_.finish(kCost, now_);
  EXPECT_EQ(turns_.take(now_), std::nullopt);
}

TEST_F(EncodeTurnsTest, TheBudgetHolds) {
  use_up_the_credit();
  for (int i = 0; i < 100; ++i) {
    ask(1);
    run(1s);
  }
  EXPECT_NEAR(coded_[1], 100 * 0.2 / base::seconds(kCost), 2);
}

TEST_F(EncodeTurnsTest, BeyondTheBudgetAPlayerHearsItAtOnce) {
  use_up_the_credit();
  int accepted = 0;
  for (int i = 0; i < 100; ++i) accepted += ask(1);
  EXPECT_LE(accepted, 3) << "no more than can be encoded in kMaxWait";
}

TEST_F(EncodeTurnsTest, AnHonestPlayerComesBeforeAFlood) {
  use_up_the_credit();
  int asked = 0;
  for (int second = 0; second < 120; ++second) {
    for (int flood = 0; flood < 20; ++flood) ask(1, 100 + static_cast<std::uint64_t>(flood));
    if (second % 4 == 0) asked += ask(2);
    run(1s);
  }
  EXPECT_EQ(asked, 30) << "their requests are accepted";
  EXPECT_EQ(coded_[2], 30);
  EXPECT_GT(coded_[1], 20) << "the flood has what is left";
}

TEST_F(EncodeTurnsTest, PlayersOfOneAddressHaveSharesToo) {
  use_up_the_credit();
  int refused = 0;
  for (int second = 0; second < 120; ++second) {
    for (int flood = 0; flood < 20; ++flood) ask(1, 100);
    if (second % 4 == 0) refused += !ask(1, 7);
    run(1s);
  }
  EXPECT_EQ(refused, 0);
}

TEST_F(EncodeTurnsTest, AFullQueueDropsTheOneThatComesLast) {
  EncodeTurns fast{100, now_};
  std::uint64_t id = 0;
  while (id < EncodeTurns::kMaxWaiting) ASSERT_TRUE(fast.ask(++id, asker(1), now_).accepted);
  EXPECT_FALSE(fast.ask(1000, asker(1), now_).accepted);
  const auto verdict = fast.ask(1001, asker(2), now_);
  EXPECT_TRUE(verdict.accepted);
  EXPECT_EQ(verdict.displaced, EncodeTurns::kMaxWaiting) << "the last to ask of the same address";
}

TEST_F(EncodeTurnsTest, NobodyWaitsForLongerThanPlayersDo) {
  use_up_the_credit();
  ASSERT_TRUE(ask(1));
  const auto id = id_;
  EXPECT_TRUE(turns_.renew(id, now_ + EncodeTurns::kMaxWait - 1ms));
  EXPECT_FALSE(turns_.renew(id, now_ + EncodeTurns::kMaxWait));
  EXPECT_TRUE(turns_.empty());
}

TEST_F(EncodeTurnsTest, WhatNobodyWaitsForIsNotEncoded) {
  use_up_the_credit();
  ASSERT_TRUE(ask(1));
  EXPECT_TRUE(turns_.take_abandoned(now_ + EncodeTurns::kAbandonedAfter - 1ms).empty());
  EXPECT_EQ(turns_.take_abandoned(now_ + EncodeTurns::kAbandonedAfter),
            std::vector<EncodeTurns::Id>{id_});
  EXPECT_TRUE(turns_.empty());
}

TEST_F(EncodeTurnsTest, CpuTimeThatIsMissingComesInTime) {
  ASSERT_TRUE(ask(1));
  ASSERT_TRUE(turns_.take(now_));
  turns_.finish(3s, now_);
  ASSERT_TRUE(turns_.ask(50, asker(2), now_ + 4s).accepted);
  now_ += 4s;
  EXPECT_EQ(turns_.take(now_), std::nullopt);
  const auto missing = turns_.until_credit(now_);
  EXPECT_GT(missing, base::Duration::zero());
  EXPECT_EQ(turns_.take(now_ + missing), 50u);
}

}  // namespace
}  // namespace app
