#include "transcoder/time/fragment_clock.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

constexpr auto kHeadroom = FragmentClock::kHeadroom;

TEST(FragmentClockTest, TracksAreAsFarApartAsInTheMedia) {
  FragmentClock clock;
  FragmentClock::Track pictures;
  FragmentClock::Track audio;
  EXPECT_EQ(clock.shift(pictures, 100'080ms, 700ms), kHeadroom);
  EXPECT_EQ(clock.shift(audio, 100'021ms, 700ms), kHeadroom - 59ms);
  EXPECT_EQ(clock.shift(pictures, 100'120ms, 740ms), kHeadroom);
}

TEST(FragmentClockTest, APlaylistWithRoundedDurationsDoesNotMoveATrack) {
  FragmentClock clock;
  FragmentClock::Track track;
  clock.shift(track, 10s, 0s);
  EXPECT_EQ(clock.shift(track, 12s, 2010ms), kHeadroom - 10ms);
  EXPECT_EQ(clock.shift(track, 14s, 4020ms), kHeadroom - 20ms);
}

TEST(FragmentClockTest, AllTracksFollowADiscontinuityTogether) {
  FragmentClock clock;
  FragmentClock::Track pictures;
  FragmentClock::Track audio;
  clock.shift(pictures, 100s, 0s);
  clock.shift(audio, 100s, 0s);
  EXPECT_EQ(clock.shift(pictures, 20s, 6s), kHeadroom) << "its timeline goes on";
  EXPECT_EQ(clock.shift(audio, 105s, 5s), kHeadroom) << "it is not there yet";
  EXPECT_EQ(clock.shift(audio, 20s, 6050ms), kHeadroom - 50ms);
}

TEST(FragmentClockTest, ATrackThatCameLateJoinsTheNewestRound) {
  FragmentClock clock;
  FragmentClock::Track pictures;
  FragmentClock::Track audio;
  clock.shift(pictures, 100s, 0s);
  clock.shift(pictures, 20s, 6s);
  EXPECT_EQ(clock.shift(audio, 21s, 6900ms), kHeadroom + 100ms);
}

TEST(FragmentClockTest, ATrackThatBeginsInAnEarlierRoundJoinsThatOne) {
  FragmentClock clock;
  FragmentClock::Track pictures;
  FragmentClock::Track audio;
  clock.shift(audio, 12s, 0s);
  clock.shift(audio, 10s, 2s);
  EXPECT_EQ(clock.shift(pictures, 13s, 1s), kHeadroom);
  EXPECT_EQ(clock.shift(pictures, 10s, 2s), kHeadroom);
}

TEST(FragmentClockTest, ATrackOfAnotherClockKeepsItsOwnTimes) {
  FragmentClock clock;
  FragmentClock::Track pictures;
  FragmentClock::Track audio;
  clock.shift(pictures, 100s, 0s);
  EXPECT_EQ(clock.shift(audio, 5000s, 1s), kHeadroom);
}

TEST(FragmentClockTest, ATrackThatManyRoundsHaveOvertakenJoinsTheNewOnes) {
  FragmentClock clock;
  FragmentClock::Track pictures;
  FragmentClock::Track audio;
  clock.shift(pictures, 100s, 0s);
  clock.shift(audio, 100s, 0s);
  const auto rounds = static_cast<int>(2 * RoundOffsets::kMaxRounds);
  for (int round = 1; round <= rounds; ++round) {
    EXPECT_EQ(clock.shift(pictures, 100s * (1 + round), 1s * round), kHeadroom);
  }
  EXPECT_EQ(clock.shift(audio, 100s * (1 + rounds), 1s * rounds + 30ms), kHeadroom - 30ms);
}

TEST(FragmentClockTest, TimesOnBothSidesOfTheWrapAreNear) {
  FragmentClock clock;
  FragmentClock::Track pictures;
  FragmentClock::Track audio;
  clock.shift(pictures, 10ms, 700ms);
  EXPECT_EQ(clock.shift(audio, kTsWrap - 20ms, 700ms), kHeadroom - 30ms);
  EXPECT_EQ(clock.shift(audio, 10ms, 730ms), kHeadroom - 30ms);
}

TEST(RoundOffsetsTest, ForgetsTheOldestRounds) {
  RoundOffsets offsets;
  for (int round = 0; round < 1000; ++round) offsets.push(1s * round);
  EXPECT_EQ(offsets.end(), 1000U);
  EXPECT_EQ(offsets.end() - offsets.first(), RoundOffsets::kMaxRounds);
  EXPECT_EQ(offsets[999], 999s);
  EXPECT_EQ(offsets[offsets.first()], 1s * offsets.first());
}

}  // namespace
}  // namespace transcoder
