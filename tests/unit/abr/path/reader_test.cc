#include "abr/path/reader.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

/// A player behind a receive buffer, and a stream that is sent to it as far as there is room.
class ReaderTest : public testing::Test {
 protected:
  /// `reads`: the player's rate; each `period` it reads what has come up to then.
  void play(base::Duration time, BitRate reads, base::Duration period = 40ms) {
    for (const auto end = now_ + time; now_ < end; now_ += 40ms) {
      may_read_ += reads * 40ms;
      if (now_ >= reads_at_) {
        const auto taken = std::min(buffered_, may_read_);
        buffered_ -= taken;
        may_read_ = {};
        reads_at_ = now_ + period;
      }
      const auto due = waiting_ + seen_.transport.wire(seen_.served) * 40ms;
      const auto sent = std::min(due, kBuffer - buffered_);
      waiting_ = std::min(due - sent, kMaxWaiting);
      buffered_ += sent;
      seen_.delivered += sent;
      seen_.receiver_limited = waiting_.bytes() > 0;
      reader_.update(seen_, now_);
    }
  }
  double mbps() const { return static_cast<double>(reader_.rate().bps()) / 1e6; }

  static constexpr base::ByteCount kBuffer{128 << 10};
  static constexpr base::ByteCount kMaxWaiting{200'000};  // data beyond it is dropped

  Reader reader_;
  Observation seen_{.served = BitRate::mbps(2)};
  base::ByteCount buffered_, waiting_, may_read_;
  base::Time now_{1h};
  base::Time reads_at_{};
};

TEST_F(ReaderTest, FindsTheRateOfASlowReaderWithin5Seconds) {
  play(5s, BitRate::kbps(500));
  EXPECT_NEAR(mbps(), 0.5, 0.05);
}

TEST_F(ReaderTest, FindsOneThatIsNotMuchTooSlow) {
  play(15s, BitRate::mbps(1.7));
  EXPECT_NEAR(mbps(), 1.7, 0.1);
}

TEST_F(ReaderTest, FindsOneThatTakesLargePieces) {
  play(8s, BitRate::kbps(500), 400ms);
  EXPECT_NEAR(mbps(), 0.5, 0.1);
}

// The pieces begin at any phase of the three seconds in which a player is measured.
TEST_F(ReaderTest, FindsTheRateOfOneThatReadsEachFewSeconds) {
  for (const auto period : {1300ms, 1700ms, 2000ms, 2400ms, 3300ms, 4700ms}) {
    reader_ = {};
    play(20s, BitRate::kbps(200), period);
    for (int i = 0; i < 20; ++i) {
      play(1s, BitRate::kbps(200), period);
      EXPECT_NEAR(mbps(), 0.2, 0.02) << base::seconds(period);
    }
  }
}

TEST_F(ReaderTest, PlayersThatKeepUpAreNoSlowReaders) {
  play(60s, BitRate::mbps(3));
  play(60s, BitRate::mbps(2));
  EXPECT_EQ(mbps(), 0);
}

// A player with a full cache reads as much as it shows, and its window is nearly closed.
TEST_F(ReaderTest, APlayerWithAFullCacheKeepsUp) {
  buffered_ = kBuffer;
  play(60s, BitRate::mbps(2), 400ms);
  EXPECT_EQ(mbps(), 0);
}

TEST_F(ReaderTest, APausedPlayerSaysNothing) {
  play(60s, {});
  EXPECT_EQ(mbps(), 0);
}

TEST_F(ReaderTest, APlayerThatWasBusyForAMomentIsNoSlowReader) {
  for (int i = 0; i < 10; ++i) {
    play(1500ms, BitRate::kbps(100));
    play(5s, BitRate::mbps(8));
  }
  EXPECT_EQ(mbps(), 0);
}

TEST_F(ReaderTest, TheRateHoldsAndThenGrows) {
  play(5s, BitRate::kbps(500));
  seen_.served = BitRate::kbps(400);
  play(20s, BitRate::kbps(500));
  EXPECT_NEAR(mbps(), 0.5, 0.05);
  play(30s, BitRate::kbps(500));
  EXPECT_GT(mbps(), 0.6);
  play(120s, BitRate::kbps(500));
  EXPECT_EQ(mbps(), 0) << "it does not limit for ever";
}

TEST_F(ReaderTest, GrowsAfterLongerTimesIfThePlayerStaysSlow) {
  const auto until_growth = [this] {
    const auto begin = now_;
    const auto found = reader_.rate();
    seen_.served = 0.7 * found;
    while (reader_.rate() <= found) play(1s, BitRate::kbps(500));
    seen_.served = BitRate::mbps(2);  // too much, as after growth
    play(10s, BitRate::kbps(500));
    return now_ - begin;
  };
  play(6s, BitRate::kbps(500));
  const auto first = until_growth();
  const auto second = until_growth();
  EXPECT_GT(second, first + 20s);
}

}  // namespace
}  // namespace abr
