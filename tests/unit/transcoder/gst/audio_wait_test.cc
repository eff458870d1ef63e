#include "transcoder/gst/audio_wait.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

constexpr base::Time kStart{1h};

/// The time at which another track is taken, whose data come every 100 ms; nullopt within a minute.
std::optional<base::Duration> taken_after(TrackHealth chosen, base::Duration media_step = 100ms) {
  AudioWait wait{kStart};
  base::Duration pts = 26h;
  for (base::Duration passed{}; passed < 1min; passed += 100ms, pts += media_step) {
    if (wait.over(kStart + passed, pts, chosen)) return passed;
  }
  return std::nullopt;
}

TEST(AudioWaitTest, ATrackThatPlaysIsKept) {
  EXPECT_EQ(taken_after(TrackHealth::kDecoded), std::nullopt);
}

TEST(AudioWaitTest, ATrackWithoutADecoderIsGivenUpAtOnce) {
  EXPECT_EQ(taken_after(TrackHealth::kNoDecoder), 0s);
}

TEST(AudioWaitTest, ADeadTrackIsGivenUpAfterAWhile) {
  EXPECT_EQ(taken_after(TrackHealth::kNoData), AudioWait::kDeadTime);
  EXPECT_EQ(taken_after(TrackHealth::kBroken), AudioWait::kDeadTime);
  EXPECT_EQ(taken_after(TrackHealth::kNotDecoded), AudioWait::kUndecodedTime);
}

TEST(AudioWaitTest, TheMediaCountToo) {
  EXPECT_EQ(taken_after(TrackHealth::kNoData, 50ms), 2 * AudioWait::kDeadTime) << "slow";
  EXPECT_EQ(taken_after(TrackHealth::kNoData, 1s), AudioWait::kDeadTime) << "read ahead";
  EXPECT_EQ(taken_after(TrackHealth::kNoData, -1s), std::nullopt) << "a clock that stands";
}

TEST(AudioWaitTest, OfAMissingTrackTheMediaTellEnough) {
  EXPECT_EQ(taken_after(TrackHealth::kMissing, 50ms), 2 * AudioWait::kDeadTime);
  EXPECT_EQ(taken_after(TrackHealth::kMissing, 1s), AudioWait::kDeadTime / 10) << "read ahead";
  EXPECT_EQ(taken_after(TrackHealth::kMissing, -1s), std::nullopt) << "a clock that stands";
}

TEST(AudioWaitTest, DataWithoutTimesCountByOurClock) {
  AudioWait wait{kStart};
  EXPECT_FALSE(wait.over(kStart + 4s, std::nullopt, TrackHealth::kNoData));
  EXPECT_TRUE(wait.over(kStart + 5s, std::nullopt, TrackHealth::kNoData));
  EXPECT_FALSE(AudioWait{kStart}.over(kStart + 4s, std::nullopt, TrackHealth::kMissing));
  EXPECT_TRUE(AudioWait{kStart}.over(kStart + 5s, std::nullopt, TrackHealth::kMissing));
}

}  // namespace
}  // namespace transcoder
