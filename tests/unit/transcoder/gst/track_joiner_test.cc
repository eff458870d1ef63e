#include "transcoder/gst/track_joiner.h"

#include <gtest/gtest.h>

#include "transcoder/time/source_time.h"

namespace transcoder {
namespace {

using namespace std::chrono_literals;

TEST(TrackJoinerTest, LeavesTimesThatGoOn) {
  TrackJoiner joiner;
  TrackJoiner::Track track;
  for (const auto time : {10s, 11s, 30s}) EXPECT_EQ(joiner.offset(track, time, 1s), 0s);
}

TEST(TrackJoinerTest, LeavesReorderedFrames) {
  TrackJoiner joiner;
  TrackJoiner::Track track;
  for (const auto time : {0ms, 120ms, 40ms, 80ms}) EXPECT_EQ(joiner.offset(track, time, 40ms), 0s);
}

TEST(TrackJoinerTest, ANewBeginningFollowsTheEnd) {
  TrackJoiner joiner;
  TrackJoiner::Track track;
  joiner.offset(track, 9s, 1s);
  EXPECT_EQ(joiner.offset(track, 0s, 1s), 10s);
  EXPECT_EQ(joiner.offset(track, 1s, 1s), 10s);
  EXPECT_EQ(joiner.offset(track, 0s, 1s), 12s);
}

TEST(TrackJoinerTest, TracksStayTogether) {
  TrackJoiner joiner;
  TrackJoiner::Track pictures;
  TrackJoiner::Track audio;
  joiner.offset(pictures, 9960ms, 40ms);
  joiner.offset(audio, 9900ms, 23ms);
  EXPECT_EQ(joiner.offset(pictures, 0s, 40ms), 10s);
  EXPECT_EQ(joiner.offset(audio, 9923ms, 23ms), 0s) << "it is not there yet";
  EXPECT_EQ(joiner.offset(audio, 0s, 23ms), 10s);
}

TEST(TrackJoinerTest, ALateTrackJoinsTheNewestRound) {
  TrackJoiner joiner;
  TrackJoiner::Track pictures;
  joiner.offset(pictures, 9s, 1s);
  joiner.offset(pictures, 0s, 1s);
  TrackJoiner::Track audio;
  EXPECT_EQ(joiner.offset(audio, 500ms, 23ms), 10s);
}

TEST(TrackJoinerTest, ATrackThatManyRoundsHaveOvertakenFollows) {
  TrackJoiner joiner;
  TrackJoiner::Track pictures;
  TrackJoiner::Track audio;
  joiner.offset(pictures, 9s, 1s);
  joiner.offset(audio, 9s, 1s);
  const auto rounds = static_cast<int>(2 * RoundOffsets::kMaxRounds);
  for (int round = 0; round < rounds; ++round) {
    EXPECT_EQ(joiner.offset(pictures, 0s, 2s), 10s + 2s * round);
  }
  EXPECT_GE(joiner.offset(audio, 0s, 2s), 10s);
}

// Times near the ends of 64 bits would add up to more than those hold.
TEST(TrackJoinerTest, RoundsOfLifetimesAreNotJoined) {
  TrackJoiner joiner;
  TrackJoiner::Track pictures;
  for (int round = 0; round < 10; ++round) {
    joiner.offset(pictures, kMaxSourceTime, 1s);
    joiner.offset(pictures, -kMaxSourceTime, 1s);
  }
  EXPECT_LE(pictures.end, 3 * kMaxSourceTime + 1s);
}

}  // namespace
}  // namespace transcoder
