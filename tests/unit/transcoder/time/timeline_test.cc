#include "transcoder/time/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

const base::Time kEpoch{5000s};  // pts 0
const MediaClock kMediaClock{{.monotonic = kEpoch}};
const StreamClock kStreamClock{kMediaClock, 2s, kEpoch};
constexpr base::Duration kFrame = 40ms;

TEST(TimelineTest, FirstPictureIsAtItsCaptureTime) {
  Timeline timeline{kStreamClock};
  EXPECT_EQ(timeline.picture(99h, kEpoch + 3s), 3s);
}

TEST(TimelineTest, FollowingPicturesKeepTheSourcesSpacing) {
  Timeline timeline{kStreamClock};
  timeline.picture(0s, kEpoch);
  const auto pts = timeline.picture(kFrame, kEpoch + kFrame + 5ms);
  ASSERT_TRUE(pts);
  EXPECT_NEAR(base::seconds(*pts), base::seconds(kFrame), 1e-4);
}

TEST(TimelineTest, DoesNotWobbleWithArrivalJitter) {
  Timeline timeline{kStreamClock};
  std::mt19937 random{1};
  std::uniform_int_distribution<int> jitter{0, 100};
  std::optional<media::Pts> last;
  for (int i = 0; i < 5000; ++i) {
    const auto pts = timeline.picture(
        i * kFrame, kEpoch + i * kFrame + std::chrono::milliseconds{jitter(random)});
    if (i > 100) {
      ASSERT_TRUE(pts);
      ASSERT_LT(std::chrono::abs(*pts - *last - kFrame), 100us);
    }
    last = pts;
  }
  EXPECT_EQ(timeline.jumps(), 0u);
}

TEST(TimelineTest, FollowsTheWallClockDespiteDrift) {
  Timeline timeline{kStreamClock};
  for (base::Duration source = 0s; source < 12h; source += kFrame) {
    const auto wall = source + source / 10000;
    const auto pts = timeline.picture(source, kEpoch + wall);
    ASSERT_TRUE(pts);
    ASSERT_LT(std::chrono::abs(*pts - wall), 1ms);
  }
  EXPECT_EQ(timeline.jumps(), 0u);
}

TEST(TimelineTest, ABurstAtTheStartDoesNotSetItAhead) {
  Timeline timeline{kStreamClock};
  for (int i = 0; i < 10; ++i) timeline.picture(i * kFrame, kEpoch + 500ms + i * 1ms);
  const auto pts = timeline.picture(10 * kFrame, kEpoch + 510ms);
  EXPECT_EQ(pts, 510ms);
  EXPECT_EQ(timeline.jumps(), 0u);
}

TEST(TimelineTest, DropsPicturesOutOfOrder) {
  Timeline timeline{kStreamClock};
  timeline.picture(0s, kEpoch);
  timeline.picture(2 * kFrame, kEpoch + 2 * kFrame);
  EXPECT_FALSE(timeline.picture(kFrame, kEpoch + 2 * kFrame));
  EXPECT_TRUE(timeline.picture(3 * kFrame, kEpoch + 3 * kFrame));
  EXPECT_EQ(timeline.jumps(), 0u);
}

TEST(TimelineTest, ContinuesWhenTheSourcesClockJumpsBack) {
  Timeline timeline{kStreamClock};
  timeline.picture(100s, kEpoch + 1s);
  EXPECT_EQ(timeline.picture(0s, kEpoch + 1s + kFrame), 1s + kFrame);
  EXPECT_EQ(timeline.jumps(), 1u);
}

TEST(TimelineTest, ContinuesWhenTheSourcesClockJumpsAhead) {
  Timeline timeline{kStreamClock};
  for (int i = 0; i < 50; ++i) timeline.picture(i * kFrame, kEpoch + i * kFrame);
  EXPECT_EQ(timeline.picture(1h, kEpoch + 50 * kFrame), 50 * kFrame);
  EXPECT_EQ(timeline.jumps(), 1u);
}

TEST(TimelineTest, ReanchorsAfterAStallOfMoreThanASecond) {
  Timeline timeline{kStreamClock};
  timeline.picture(0s, kEpoch);
  EXPECT_EQ(timeline.picture(kFrame, kEpoch + 3s), 3s);
  EXPECT_EQ(timeline.stalls(), 1u);
  EXPECT_EQ(timeline.jumps(), 0u) << "the source's times went on";
}

TEST(TimelineTest, CatchingUpAfterAStallIsNoJump) {
  Timeline timeline{kStreamClock};
  timeline.picture(0s, kEpoch);
  for (int i = 1; i < 200; ++i) timeline.picture(i * kFrame, kEpoch + 4s + i * kFrame / 2);
  EXPECT_GT(timeline.stalls(), 1u);
  EXPECT_EQ(timeline.jumps(), 0u);
}

TEST(TimelineTest, TimesThatWentOnDuringAPauseAreNeither) {
  Timeline timeline{kStreamClock};
  timeline.picture(0s, kEpoch);
  EXPECT_EQ(timeline.picture(10s, kEpoch + 10s), 10s);
  EXPECT_EQ(timeline.stalls() + timeline.jumps(), 0u);
}

TEST(TimelineTest, AClockThatJumpsDuringAPauseIsAJump) {
  Timeline timeline{kStreamClock};
  timeline.picture(0s, kEpoch);
  timeline.picture(1h, kEpoch + 10s);
  EXPECT_EQ(timeline.stalls(), 0u);
  EXPECT_EQ(timeline.jumps(), 1u);
}

TEST(TimelineTest, AudioSharesThePicturesOffset) {
  Timeline timeline{kStreamClock};
  timeline.picture(50s, kEpoch + 2s);
  EXPECT_EQ(timeline.audio(50s - 10ms, kEpoch + 2s), 2s - 10ms);
}

TEST(TimelineTest, AudioWaitsForThePictures) {
  Timeline timeline{kStreamClock};
  EXPECT_FALSE(timeline.audio(0s, kEpoch));
}

TEST(TimelineTest, AudioBeforeTheEpochIsDropped) {
  Timeline timeline{kStreamClock};
  timeline.picture(1s, kEpoch);
  EXPECT_FALSE(timeline.audio(900ms, kEpoch));
}

TEST(TimelineTest, AudioOfAnotherClockIsDropped) {
  Timeline timeline{kStreamClock};
  timeline.picture(50s, kEpoch + 2s);
  EXPECT_FALSE(timeline.audio(0s, kEpoch + 2s));
  EXPECT_FALSE(timeline.audio(100s, kEpoch + 2s));
}

TEST(TimelineTest, ReconnectIsNotAJump) {
  Timeline timeline{kStreamClock};
  timeline.picture(100s, kEpoch + 1s);
  timeline.restart();
  EXPECT_EQ(timeline.picture(0s, kEpoch + 9s), 9s);
  EXPECT_EQ(timeline.jumps(), 0u);
}

TEST(TimelineTest, PicturesContinueAfterRepeats) {
  Timeline timeline{kStreamClock};
  timeline.picture(0s, kEpoch);
  EXPECT_EQ(timeline.repeat(kEpoch + 2s), 2s);
  EXPECT_FALSE(timeline.repeat(kEpoch + 2s));
  timeline.restart();
  EXPECT_EQ(timeline.picture(0s, kEpoch + 2100ms), 2100ms);
}

/// The pause of a source from 0 s on: the last picture is repeated every 200 ms until one comes.
/// Its next picture arrives at `pause`, with all that were due by then, and each following one this
/// much late. Returns the pts of those that came through.
std::map<base::Duration, media::Pts> after_pause(Timeline& timeline, base::Duration pause,
                                                 base::Duration late) {
  std::map<base::Duration, media::Pts> through;
  timeline.picture(0s, kEpoch);
  base::Duration repeated = 800ms;
  for (base::Duration source = kFrame; source < 5s; source += kFrame) {
    const auto arrival = std::max(source + late, pause);
    for (; through.empty() && repeated < arrival; repeated += 200ms) {
      timeline.repeat(kEpoch + repeated - 100ms);
    }
    if (const auto pts = timeline.picture(source, kEpoch + arrival)) through[source] = *pts;
  }
  return through;
}

TEST(TimelineTest, ABurstAfterRepeatsKeepsItsPlace) {
  Timeline timeline{kStreamClock};
  const auto through = after_pause(timeline, 950ms, 0s);
  ASSERT_FALSE(through.empty());
  EXPECT_LT(through.begin()->first, 1s);
  for (const auto& [source, pts] : through) EXPECT_NEAR(base::seconds(pts - source), 0, 0.003);
  EXPECT_EQ(timeline.stalls() + timeline.jumps(), 0u);
}

TEST(TimelineTest, PicturesThatStayBehindRepeatsGetAnotherPlace) {
  for (const auto late : {300ms, 500ms, 900ms}) {
    Timeline timeline{kStreamClock};
    const auto through = after_pause(timeline, 1s, late);
    ASSERT_FALSE(through.empty()) << late.count() << " ms";
    EXPECT_LT(through.begin()->first, 1600ms - late);
    EXPECT_NEAR(base::seconds(through.begin()->second - through.begin()->first),
                base::seconds(late), 0.003);
    EXPECT_EQ(timeline.stalls(), 1u);
    EXPECT_EQ(timeline.jumps(), 0u);
  }
}

}  // namespace
}  // namespace transcoder
