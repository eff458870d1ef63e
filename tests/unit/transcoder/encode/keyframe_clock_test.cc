#include "transcoder/encode/keyframe_clock.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Cause = KeyframeClock::Cause;

class KeyframeClockTest : public ::testing::Test {
 protected:
  Cause take(milliseconds pts) { return clock_.take(pts, false); }

  KeyframeClock clock_{seconds{2}, seconds{1}};
};

TEST_F(KeyframeClockTest, FirstFrameIsAKeyframe) {
  EXPECT_EQ(take(milliseconds{700}), Cause::kOpened);
}

TEST_F(KeyframeClockTest, FirstFrameOfANewEncoderIsAKeyframe) {
  take(milliseconds{0});
  EXPECT_EQ(clock_.take(milliseconds{40}, true), Cause::kOpened);
}

TEST_F(KeyframeClockTest, TicksAreMultiplesOfTheInterval) {
  take(milliseconds{700});
  EXPECT_EQ(take(milliseconds{1999}), Cause::kNone);
  EXPECT_EQ(take(milliseconds{2010}), Cause::kClock);
  EXPECT_EQ(take(milliseconds{2050}), Cause::kNone);
  EXPECT_EQ(take(milliseconds{4000}), Cause::kClock);
}

TEST_F(KeyframeClockTest, ATickWithoutAFrameMovesToTheNextFrame) {
  take(milliseconds{1900});
  EXPECT_EQ(take(milliseconds{2300}), Cause::kClock);
}

TEST_F(KeyframeClockTest, GroupsThatStartAtDifferentTimesTickTogether) {
  KeyframeClock other{seconds{2}, seconds{1}};
  take(milliseconds{100});
  other.take(milliseconds{1500}, false);
  EXPECT_EQ(take(milliseconds{2000}), Cause::kClock);
  EXPECT_EQ(other.take(milliseconds{2000}, false), Cause::kClock);
}

TEST_F(KeyframeClockTest, AScheduledKeyframeIsTheFirstFrameNotBeforeIt) {
  take(milliseconds{0});
  EXPECT_EQ(clock_.schedule(milliseconds{1200}), milliseconds{1200});
  EXPECT_EQ(take(milliseconds{1190}), Cause::kNone);
  EXPECT_EQ(take(milliseconds{1230}), Cause::kScheduled);
  EXPECT_EQ(take(milliseconds{1260}), Cause::kNone);
}

TEST_F(KeyframeClockTest, KeepsTheForcedIntervalAfterAKeyframe) {
  take(milliseconds{0});
  EXPECT_EQ(clock_.schedule(milliseconds{300}), milliseconds{1000});
}

TEST_F(KeyframeClockTest, ARecoveryKeepsItsIntervalOnlyToForcedKeyframes) {
  take(milliseconds{0});
  take(milliseconds{260});
  clock_.schedule_recovery(milliseconds{300});
  EXPECT_EQ(take(milliseconds{300}), Cause::kScheduled);
  clock_.schedule_recovery(milliseconds{400});
  EXPECT_EQ(take(milliseconds{1290}), Cause::kNone);
  EXPECT_EQ(take(milliseconds{1300}), Cause::kScheduled);
}

TEST_F(KeyframeClockTest, ALaterScheduledKeyframeServesAll) {
  take(milliseconds{0});
  clock_.schedule(milliseconds{1200});
  EXPECT_EQ(clock_.schedule(milliseconds{1100}), milliseconds{1200});
}

TEST_F(KeyframeClockTest, AScheduledKeyframeThatIsTooEarlyIsFollowedByAnother) {
  KeyframeClock slow{seconds{10}, seconds{1}};
  slow.take(milliseconds{0}, false);
  slow.schedule(milliseconds{1200});
  EXPECT_EQ(slow.schedule(milliseconds{1300}), milliseconds{2200});
  EXPECT_EQ(slow.take(milliseconds{1200}, false), Cause::kScheduled);
  EXPECT_EQ(slow.take(milliseconds{1300}, false), Cause::kNone);
  EXPECT_EQ(slow.take(milliseconds{2210}, false), Cause::kScheduled);
}

TEST_F(KeyframeClockTest, ATickInTimeNeedsNoForcedKeyframe) {
  take(milliseconds{0});
  take(milliseconds{1500});
  EXPECT_EQ(clock_.schedule(milliseconds{2000}), milliseconds{2000});
  EXPECT_EQ(take(milliseconds{2000}), Cause::kClock);
  EXPECT_EQ(take(milliseconds{2100}), Cause::kNone);
}

TEST_F(KeyframeClockTest, KeepsTheForcedIntervalAfterATick) {
  take(milliseconds{0});
  take(milliseconds{1950});
  EXPECT_EQ(clock_.schedule(milliseconds{2050}), milliseconds{3000});
}

TEST_F(KeyframeClockTest, ReturnsATickIfTheForcedKeyframeWouldBeLater) {
  take(milliseconds{1500});
  EXPECT_EQ(clock_.schedule(milliseconds{1600}), milliseconds{2000});
}

TEST_F(KeyframeClockTest, IsNeverScheduledForAnEncodedFrame) {
  take(milliseconds{0});
  take(milliseconds{1500});
  EXPECT_GT(clock_.schedule(milliseconds{1400}), milliseconds{1500});
}

TEST_F(KeyframeClockTest, FirstFrameServesAScheduleAtItsPts) {
  EXPECT_EQ(clock_.schedule(milliseconds{400}), milliseconds{400});
  EXPECT_EQ(take(milliseconds{400}), Cause::kOpened);
  EXPECT_EQ(take(milliseconds{440}), Cause::kNone);
}

TEST_F(KeyframeClockTest, AScheduleAfterTheFirstFrameIsKept) {
  // A viewer who moves to a new group relies on the keyframe that schedule() announced.
  clock_.schedule(milliseconds{500});
  EXPECT_EQ(take(milliseconds{400}), Cause::kOpened);
  EXPECT_EQ(take(milliseconds{500}), Cause::kScheduled);
}

TEST_F(KeyframeClockTest, AKeyframeForAnotherReasonServesTheSchedule) {
  take(milliseconds{0});
  clock_.schedule(milliseconds{1200});
  EXPECT_EQ(clock_.take(milliseconds{1300}, true), Cause::kOpened);
  EXPECT_EQ(take(milliseconds{1340}), Cause::kNone);
}

}  // namespace
}  // namespace transcoder
