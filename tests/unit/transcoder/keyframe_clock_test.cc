#include "transcoder/keyframe_clock.h"

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

TEST_F(KeyframeClockTest, FirstPictureIsAKeyframe) {
  EXPECT_EQ(take(milliseconds{700}), Cause::kOpened);
}

TEST_F(KeyframeClockTest, FirstPictureOfANewEncoderIsAKeyframe) {
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

TEST_F(KeyframeClockTest, ATickWhosePictureWasSkippedFallsOnTheNextOne) {
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

TEST_F(KeyframeClockTest, ScheduledKeyframeComesAtTheFirstPictureThatIsNotEarlier) {
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

TEST_F(KeyframeClockTest, SchedulesOneAtATime) {
  take(milliseconds{0});
  clock_.schedule(milliseconds{1200});
  EXPECT_EQ(clock_.schedule(milliseconds{1500}), milliseconds{1200});
}

TEST_F(KeyframeClockTest, ATickThatComesFirstNeedsNoForcedKeyframe) {
  take(milliseconds{0});
  take(milliseconds{1500});
  EXPECT_EQ(clock_.schedule(milliseconds{2100}), milliseconds{2000});
  EXPECT_EQ(take(milliseconds{2000}), Cause::kClock);
  EXPECT_EQ(take(milliseconds{2100}), Cause::kNone);
}

TEST_F(KeyframeClockTest, BeforeTheFirstPictureNothingNeedsForcing) {
  EXPECT_EQ(clock_.schedule(milliseconds{500}), milliseconds{0});
  take(milliseconds{400});
  EXPECT_EQ(take(milliseconds{540}), Cause::kNone);
}

TEST_F(KeyframeClockTest, AKeyframeForAnotherReasonServesTheSchedule) {
  take(milliseconds{0});
  clock_.schedule(milliseconds{1200});
  EXPECT_EQ(clock_.take(milliseconds{1300}, true), Cause::kOpened);
  EXPECT_EQ(take(milliseconds{1340}), Cause::kNone);
}

}  // namespace
}  // namespace transcoder
