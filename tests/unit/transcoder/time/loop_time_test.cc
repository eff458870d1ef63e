#include "transcoder/time/loop_time.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

TEST(LoopTimeTest, FirstRoundBeginsAtZero) {
  LoopTime time;
  EXPECT_EQ(time.picture(1400ms), 0ms);
  EXPECT_EQ(time.picture(1440ms), 40ms);
}

TEST(LoopTimeTest, NextRoundFollowsByOneFrame) {
  LoopTime time;
  time.picture(0ms);
  time.picture(33ms);
  time.next_round();
  EXPECT_EQ(time.picture(0ms), 66ms);
  EXPECT_EQ(time.picture(33ms), 99ms);
}

TEST(LoopTimeTest, AudioKeepsItsDistance) {
  LoopTime time;
  EXPECT_FALSE(time.audio(0ms));
  time.picture(100ms);
  EXPECT_EQ(time.audio(90ms), -10ms);
  time.picture(140ms);
  time.next_round();
  EXPECT_FALSE(time.audio(0ms));
  time.picture(100ms);
  EXPECT_EQ(time.audio(90ms), 70ms);
}

TEST(LoopTimeTest, ARoundWithoutPicturesTakesNoTime) {
  LoopTime time;
  time.picture(0ms);
  time.picture(40ms);
  time.next_round();
  EXPECT_FALSE(time.any());
  time.next_round();
  EXPECT_EQ(time.picture(0ms), 80ms);
}

TEST(LoopTimeTest, ASlideDoesNotDelayTheNextRound) {
  LoopTime time;
  time.picture(0s);
  time.picture(60s);
  time.next_round();
  EXPECT_EQ(time.picture(0s), 61s);
}

}  // namespace
}  // namespace transcoder
