#include "abr/policy/picture_pause.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

constexpr auto kLowest = BitRate::kbps(100);
constexpr auto kAudio = BitRate::kbps(40);

/// A frame of the lowest rate has 1250 bytes. The base RTT is 0, so all data in flight waits.
class PicturePauseTest : public testing::Test {
 protected:
  base::Duration next(std::int64_t bytes) {
    seen_.in_flight = ByteCount{bytes};
    return pause_.next(seen_, path_, kLowest, now_ += 50ms);
  }

  PicturePause pause_;
  Observation seen_{
      .mss = 1448, .frame_interval = 100ms, .transport = {.fixed = kAudio, .audio = kAudio}};
  PathState path_{.capacity = BitRate::kbps(80)};
  base::Time now_{1h};
};

TEST_F(PicturePauseTest, LastsUntilAFrameHasPassedBesideTheAudio) {
  EXPECT_EQ(next(2000), ByteCount{2000} / BitRate::kbps(40));
}

TEST_F(PicturePauseTest, EndsWithTheDataInFlight) {
  EXPECT_GT(next(2000), 0ms);
  EXPECT_EQ(next(400), 0ms) << "audio only";
}

TEST_F(PicturePauseTest, DataOnTheWayDoesNotWait) {
  path_.round_trip = 200ms;  // 2000 bytes
  EXPECT_EQ(next(2400), 0ms);
}

TEST_F(PicturePauseTest, FramesTakeAFifthOfWhatTheAudioLeavesWhileALotWaits) {
  EXPECT_EQ(next(10'000), 4 * (ByteCount{1250} / BitRate::kbps(40)));
}

TEST_F(PicturePauseTest, AFastPathHasHardlyAPause) {
  path_.capacity = BitRate::mbps(2);
  EXPECT_EQ(next(250'000), 200ms) << "though a second's data waits";
}

TEST_F(PicturePauseTest, IsNeverLongerThanTwoSeconds) {
  path_.capacity = BitRate::kbps(41);
  EXPECT_EQ(next(100'000), 2s);
}

TEST_F(PicturePauseTest, IsShorterWhereItIsNoHelp) {
  path_.cross_traffic = true;
  EXPECT_EQ(next(100'000), 300ms) << "the queue may be of others";
  path_.cross_traffic = false;
  path_.capacity = BitRate::kbps(39);
  EXPECT_EQ(next(100'000), 300ms) << "less than the audio passes";
}

// The capacity cannot be estimated that low.
TEST_F(PicturePauseTest, MeasuresWhatThePathCarries) {
  path_.capacity = BitRate::kbps(140);
  EXPECT_EQ(next(2000), 0ms);
  for (int i = 0; i < 20; ++i) {
    seen_.delivered += BitRate::kbps(60) * base::Duration{50ms};
    next(2000);
  }
  EXPECT_EQ(next(2000), ByteCount{2000} / BitRate::kbps(20));
  pause_.reset();
  EXPECT_EQ(next(2000), 0ms) << "the rate has risen since";
}

}  // namespace
}  // namespace abr
