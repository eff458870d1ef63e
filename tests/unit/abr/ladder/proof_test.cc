#include "abr/ladder/proof.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;

constexpr base::Time kBegin{1h};

class StreamProofTest : public testing::Test {
 protected:
  /// Takes bytes, or none, every 40 ms for `time`. Returns the standing at the end.
  Standing pass(base::Duration time, std::uint64_t bytes) {
    Standing standing{};
    for (const auto end = now_ + time; now_ < end;) {
      now_ += 40ms;
      taken_.acknowledged += bytes;
      standing = proof_.update(taken_, kLowest, now_);
    }
    return standing;
  }

  static constexpr auto kLowest = base::BitRate::kbps(200);

  base::Time now_ = kBegin;
  StreamProof::Taken taken_{.waiting = true};
  StreamProof proof_;
};

TEST_F(StreamProofTest, TwoSecondsOfMediaAreAProof) {
  EXPECT_EQ(pass(1900ms, 1000), Standing::kUnproven);
  EXPECT_EQ(pass(200ms, 1000), Standing::kProven);
}

TEST_F(StreamProofTest, WhatFitsIntoTheClientsBufferIsNone) {
  EXPECT_EQ(pass(1500ms, 100'000), Standing::kUnproven);
  EXPECT_EQ(pass(10s, 0), Standing::kUnproven);
  EXPECT_EQ(pass(1500ms, 1000), Standing::kUnproven) << "the time before the pause does not count";
}

TEST_F(StreamProofTest, ASecondWithoutAnAcknowledgementEndsIt) {
  pass(3s, 1000);
  EXPECT_EQ(pass(960ms, 0), Standing::kProven);
  EXPECT_EQ(pass(120ms, 0), Standing::kUnproven);
  EXPECT_EQ(pass(40ms, 1), Standing::kProven) << "the path is back";
}

TEST_F(StreamProofTest, NobodyHasToTakeWhatDoesNotCome) {
  pass(3s, 1000);
  taken_.waiting = false;
  EXPECT_EQ(pass(30s, 0), Standing::kProven) << "the source is silent";
}

TEST_F(StreamProofTest, ASlowReaderMayTakeLargePieces) {
  taken_.window_closed = true;
  for (int i = 0; i < 20; ++i) {
    pass(40ms, 130'000);
    EXPECT_EQ(pass(2s, 0), i < 1 ? Standing::kUnproven : Standing::kProven) << i;
  }
}

TEST_F(StreamProofTest, AReaderBelowTheLowestRateCountsForAsLongAsThePieceLasts) {
  taken_.window_closed = true;
  pass(3s, 1000);
  pass(8s, 0);
  EXPECT_EQ(pass(40ms, 65'000), Standing::kProven);
  EXPECT_EQ(pass(2500ms, 0), Standing::kProven);
  EXPECT_EQ(pass(200ms, 0), Standing::kUnproven) << "65 kB are 2.6 s at 200 kbit/s";
}

TEST_F(StreamProofTest, AReaderThatHasStoppedCountsForTenSecondsAtMost) {
  pass(60s, 10'000);
  taken_.window_closed = true;
  EXPECT_EQ(pass(9s, 0), Standing::kProven);
  EXPECT_EQ(pass(1s, 0), Standing::kUnproven);
}

TEST_F(StreamProofTest, WhatWasTakenBuysNothingOnAPathThatIsDown) {
  pass(60s, 10'000);
  EXPECT_EQ(pass(1040ms, 0), Standing::kUnproven);
}

TEST_F(StreamProofTest, RareSamplesSuffice) {
  StreamProof proof;
  for (int i = 0; i < 4; ++i) {
    const auto acknowledged = static_cast<std::uint64_t>(i + 1);
    const auto standing =
        proof.update({.acknowledged = acknowledged, .waiting = true}, kLowest, kBegin + i * 900ms);
    EXPECT_EQ(standing, i < 3 ? Standing::kUnproven : Standing::kProven) << i;
  }
}

class LoadProofTest : public testing::Test {
 protected:
  /// Loads a segment of 2 s each 2 s, `count` times.
  void play(int count) {
    for (int i = 0; i < count; ++i) {
      now_ += 2s;
      proof_.load(2s);
      proof_.is_given(now_);
    }
  }

  base::Time now_ = kBegin;
  LoadProof proof_{6s, kBegin};
};

TEST_F(LoadProofTest, TheFirstSegmentIsAProof) {
  EXPECT_FALSE(proof_.is_given(now_));
  proof_.load(2s);
  EXPECT_TRUE(proof_.is_given(now_ + 500ms));
}

TEST_F(LoadProofTest, AClaimIsNone) {
  for (auto t = now_; t < now_ + 60s; t += 250ms) EXPECT_FALSE(proof_.is_given(t));
}

TEST_F(LoadProofTest, APlayerThatLoadsEachSegmentGivesItAllTheTime) {
  proof_.load(6s);
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 8; ++k) EXPECT_TRUE(proof_.is_given(now_ += 250ms)) << i;
    proof_.load(2s);
  }
}

TEST_F(LoadProofTest, ASegmentNowAndThenIsNone) {
  bool given = false;
  for (int i = 0; i < 40; ++i) {
    proof_.load(2s);
    for (int k = 0; k < 32; ++k) given = proof_.is_given(now_ += 250ms);
    EXPECT_FALSE(given) << i << ": 2 s of media in 8 s";
  }
}

TEST_F(LoadProofTest, EachRenditionNeedsItsOwn) {
  play(10);
  ASSERT_TRUE(proof_.is_given(now_));
  proof_.ask(now_);
  EXPECT_FALSE(proof_.is_given(now_));
  proof_.load(2s);
  EXPECT_TRUE(proof_.is_given(now_ + 1s));
}

TEST_F(LoadProofTest, APlayerThatStopsLosesItWithinTwoPeriods) {
  play(10);
  EXPECT_FALSE(proof_.is_given(now_ + 12s));
}

}  // namespace
}  // namespace abr
