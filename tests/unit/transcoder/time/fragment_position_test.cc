#include "transcoder/time/fragment_position.h"

#include <gtest/gtest.h>

#include <utility>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

constexpr auto kHeadroom = FragmentClock::kHeadroom;
constexpr auto kFrame = 40ms;

class FragmentPositionTest : public testing::Test {
 protected:
  /// Plays `length` from `media` on; returns the place of the end.
  static base::Duration play(FragmentPosition& track, base::Duration media, base::Duration length,
                             std::optional<base::Duration> arrival = {}) {
    base::Duration at{};
    for (auto time = media; time < media + length; time += kFrame) {
      at = track.timeline(time, std::exchange(arrival, std::nullopt));
    }
    return at + kFrame;
  }

  std::shared_ptr<FragmentClock> clock_ = std::make_shared<FragmentClock>();
  FragmentPosition pictures_{clock_};
  FragmentPosition audio_{clock_};
};

TEST_F(FragmentPositionTest, TheTimelineGoesOnWhereTimesJump) {
  EXPECT_EQ(play(pictures_, 100s, 4s, 0s), kHeadroom + 4s);
  EXPECT_EQ(play(pictures_, 0s, 4s, 4s), kHeadroom + 8s) << "backwards";
  EXPECT_EQ(play(pictures_, 5h, 4s, 8s), kHeadroom + 12s) << "by hours";
  EXPECT_EQ(play(pictures_, 5h + 9s, 4s, 12s), kHeadroom + 16s) << "by seconds";
  EXPECT_EQ(play(pictures_, 1s, 4s), kHeadroom + 20s) << "that the playlist does not say";
}

TEST_F(FragmentPositionTest, TheWrapIsNoJump) {
  EXPECT_EQ(play(pictures_, kTsWrap - 2s, 4s, 0s), kHeadroom + 4s);
  EXPECT_EQ(play(pictures_, 2s, 4s), kHeadroom + 8s);
}

TEST_F(FragmentPositionTest, MissingSegmentsLeaveAGap) {
  play(pictures_, 100s, 4s, 0s);
  EXPECT_EQ(play(pictures_, 107s, 4s, 7s), kHeadroom + 11s);
  EXPECT_EQ(play(pictures_, 115s, 4s), kHeadroom + 19s) << "that the playlist does not say";
}

TEST_F(FragmentPositionTest, APlaylistWithRoundedDurationsMovesNothing) {
  play(pictures_, 100s, 4s, 0s);
  EXPECT_EQ(play(pictures_, 104s, 4s, 44s), kHeadroom + 8s);
  EXPECT_EQ(play(pictures_, 111s, 4s, 84s), kHeadroom + 15s) << "nor hides missing segments";
}

TEST_F(FragmentPositionTest, TracksOfUnequalLengthStayTogether) {
  for (int round = 0; round < 100; ++round) {
    const auto end = play(pictures_, 100s, 4s, 4s * round);
    EXPECT_EQ(play(audio_, 100s, 4040ms, 4040ms * round) - 40ms, end) << round;
  }
}

TEST_F(FragmentPositionTest, TheFirstTrackToJumpLeads) {
  for (int round = 0; round < 100; ++round) {
    const auto end = play(audio_, 100s, 4040ms, 4040ms * round) - 40ms;
    EXPECT_EQ(play(pictures_, 100s, 4s, 4s * round), end) << round;
  }
}

TEST_F(FragmentPositionTest, ATrackThatMissesAWholeRoundJoinsTheRightOne) {
  play(pictures_, 100s, 4s, 0s);
  play(audio_, 100s, 4s, 0s);
  play(pictures_, 100s, 4s, 4s);
  const auto end = play(pictures_, 100s, 4s, 8s);
  EXPECT_EQ(play(audio_, 100s, 4s, 8s), end);
}

TEST_F(FragmentPositionTest, AReorderedPictureIsNoJump) {
  play(pictures_, 100s, 4s, 0s);
  EXPECT_EQ(pictures_.timeline(103900ms), kHeadroom + 3900ms);
  EXPECT_EQ(pictures_.timeline(104s), kHeadroom + 4s);
}

}  // namespace
}  // namespace transcoder
