#include "transcoder/time/play_start.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using namespace std::chrono_literals;
using Claim = PlayStart::Claim;

/// Two tracks; the second one begins later than the time that RTP-Info names.
struct PlayStartTest : testing::Test {
  PlayStart start;
  std::size_t pictures = start.add_track();
  std::size_t audio = start.add_track();
};

TEST_F(PlayStartTest, ATrackThatArrivesEarlierWaitsForTheOther) {
  start.offset(pictures, {160ms, 0ms}, 160ms);
  EXPECT_EQ(start.offset(audio, {0ms, 300ms}, 300ms), 160ms);
  EXPECT_EQ(start.offset(pictures, {160ms, 0ms}, 320ms), 0ms);
}

TEST_F(PlayStartTest, OneTrackAloneIsNotMoved) {
  EXPECT_EQ(start.offset(pictures, {160ms, 300ms}, 160ms), 0ms);
  EXPECT_FALSE(start.settled(10s));
}

TEST_F(PlayStartTest, AClaimThatArrivalContradictsIsNotBelieved) {
  start.offset(pictures, {160ms, 300ms}, 160ms);
  EXPECT_EQ(start.offset(audio, {160ms + PlayStart::kMaxHeld + 1ms, 0ms}, 300ms), 0ms);
  EXPECT_EQ(start.offset(pictures, {160ms, 300ms}, 200ms), 0ms);
}

TEST_F(PlayStartTest, NamesOfTheFirstPacketsSayNothing) {
  start.offset(pictures, {300ms, 0ms}, 300ms);
  EXPECT_EQ(start.offset(audio, {0ms, 20ms}, 300ms), 0ms);
}

TEST_F(PlayStartTest, FollowsAnArrivalThatIsKnownBetter) {
  start.offset(pictures, {400ms, 300ms}, 400ms);
  EXPECT_EQ(start.offset(audio, {0ms, 0ms}, 420ms), 400ms);
  start.offset(pictures, {100ms, 300ms}, 500ms);
  EXPECT_EQ(start.offset(audio, {0ms, 0ms}, 520ms), 100ms);
  start.offset(pictures, {110ms, 300ms}, 540ms);
  EXPECT_EQ(start.offset(audio, {0ms, 0ms}, 560ms), 100ms) << "not worth a disturbance";
}

/// Seen on a busy machine: the packets of the first seconds were read late.
TEST_F(PlayStartTest, FollowsAJitterBufferThatLearnsSlowly) {
  start.offset(pictures, {160ms, 300ms}, 160ms);
  EXPECT_EQ(start.offset(audio, {70ms, 0ms}, 300ms), 90ms);
  EXPECT_EQ(start.offset(audio, {40ms, 0ms}, 4s), 120ms);
  EXPECT_EQ(start.offset(audio, {0ms, 0ms}, 8s), 160ms);
}

TEST_F(PlayStartTest, KeepsItsOffsetsOnceSettled) {
  start.offset(pictures, {160ms, 0ms}, 160ms);
  start.offset(audio, {0ms, 300ms}, 300ms);
  EXPECT_FALSE(start.settled(300ms + PlayStart::kSettling));
  EXPECT_TRUE(start.settled(301ms + PlayStart::kSettling));
  EXPECT_EQ(start.offset(audio, {100ms, 300ms}, 301ms + PlayStart::kSettling), 160ms);
}

TEST_F(PlayStartTest, SenderReportsEndIt) {
  start.offset(pictures, {160ms, 0ms}, 160ms);
  start.stop();
  EXPECT_EQ(start.offset(audio, {0ms, 300ms}, 300ms), 0ms);
  EXPECT_TRUE(start.settled(300ms));
}

}  // namespace
}  // namespace transcoder
