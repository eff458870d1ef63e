#include "server/channel_switch.h"

#include <gtest/gtest.h>

#include <numeric>

#include "packets.h"

namespace server {
namespace {

using packets::audio;
using packets::frame;
using packets::kFrame;
using packets::queued;
using std::chrono::milliseconds;
using Numbers = std::vector<std::uint64_t>;

constexpr std::uint8_t kOld = 1;
constexpr std::uint8_t kNew = 2;

Numbers numbers(const auto& items, media::Packet::Kind kind) {
  Numbers numbers;
  for (const auto& item : items) {
    if (item.packet->kind == kind) numbers.push_back(item.packet->number);
  }
  return numbers;
}
Numbers frames(const auto& items) { return numbers(items, media::Packet::Kind::kVideo); }
Numbers audio_frames(const auto& items) { return numbers(items, media::Packet::Kind::kAudio); }

/// A switch at frame 10 of a viewer that has received frame 8.
class ChannelSwitchTest : public testing::Test {
 protected:
  bool old_frame(std::uint64_t number) {
    return change_.from_old(queued(frame(number, false, kOld)), now_);
  }
  bool new_frame(std::uint64_t number, bool keyframe = false) {
    return change_.from_new(queued(frame(number, keyframe, kNew)), now_);
  }

  base::Time now_{std::chrono::hours{1}};
  ChannelSwitch change_{10 * kFrame, 8, now_};
};

TEST_F(ChannelSwitchTest, CutsAtTheKeyframe) {
  EXPECT_FALSE(old_frame(9));
  EXPECT_FALSE(new_frame(9));
  EXPECT_TRUE(new_frame(10, true));
  EXPECT_EQ(frames(change_.take_old()), (Numbers{9}));
  EXPECT_EQ(frames(change_.take_new()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, WaitsForTheOldChannelToCatchUp) {
  EXPECT_FALSE(new_frame(10, true));
  EXPECT_FALSE(new_frame(11));
  EXPECT_TRUE(old_frame(9));
  EXPECT_EQ(frames(change_.take_old()), (Numbers{9}));
  EXPECT_EQ(frames(change_.take_new()), (Numbers{10, 11}));
}

TEST_F(ChannelSwitchTest, DoesNotSendTheOldFrameAtTheCut) {
  EXPECT_FALSE(new_frame(10, true));
  EXPECT_TRUE(old_frame(10));  // the old encoder skipped 9
  EXPECT_TRUE(change_.take_old().empty());
  EXPECT_EQ(frames(change_.take_new()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, HoldsOldFramesForALateKeyframe) {
  old_frame(9);
  old_frame(10);
  old_frame(11);
  EXPECT_EQ(frames(change_.take_old()), (Numbers{9}));
  EXPECT_TRUE(new_frame(10, true));
  EXPECT_TRUE(change_.take_old().empty());
  EXPECT_EQ(frames(change_.take_new()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, ContinuesWithTheOldChannelUntilALaterKeyframe) {
  old_frame(9);
  old_frame(10);
  old_frame(11);
  EXPECT_FALSE(new_frame(10));
  EXPECT_EQ(frames(change_.take_old()), (Numbers{9, 10}));
  EXPECT_FALSE(new_frame(11));
  EXPECT_TRUE(new_frame(12, true));
  EXPECT_EQ(frames(change_.take_old()), (Numbers{11}));
  EXPECT_EQ(frames(change_.take_new()), (Numbers{12}));
}

TEST_F(ChannelSwitchTest, HoldsNoFrameThatTheNewChannelHasPassedWithoutAKeyframe) {
  new_frame(10);
  old_frame(9);
  old_frame(10);
  EXPECT_EQ(frames(change_.take_old()), (Numbers{9, 10}));
}

TEST_F(ChannelSwitchTest, IgnoresAKeyframeBeforeTheSwitchTime) {
  EXPECT_FALSE(new_frame(9, true));
  EXPECT_FALSE(old_frame(9));
  EXPECT_EQ(frames(change_.take_old()), (Numbers{9}));
}

TEST_F(ChannelSwitchTest, DoesNotRepeatFramesForAnOlderKeyframe) {
  ChannelSwitch late{10 * kFrame, 14, now_};
  EXPECT_FALSE(late.from_new(queued(frame(12, true, kNew)), now_));
  EXPECT_FALSE(late.from_old(queued(frame(15)), now_));
  EXPECT_TRUE(late.from_new(queued(frame(16, true, kNew)), now_));
  EXPECT_EQ(frames(late.take_old()), (Numbers{15}));
  EXPECT_EQ(frames(late.take_new()), (Numbers{16}));
}

TEST_F(ChannelSwitchTest, HoldsAFrameFor300Milliseconds) {
  old_frame(9);
  old_frame(10);
  change_.check_time(now_ + milliseconds{299});
  EXPECT_EQ(frames(change_.take_old()), (Numbers{9}));
  change_.check_time(now_ + milliseconds{300});
  EXPECT_EQ(frames(change_.take_old()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, LeavesAStuckOldChannel) {
  new_frame(10, true);
  EXPECT_FALSE(change_.check_time(now_ + milliseconds{299}));
  EXPECT_TRUE(change_.check_time(now_ + milliseconds{300}));
  EXPECT_EQ(frames(change_.take_new()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, LeavesAClosedOldChannel) {
  EXPECT_FALSE(change_.old_closed());
  EXPECT_TRUE(new_frame(10, true));
}

TEST_F(ChannelSwitchTest, HoldsNothingForASilentNewChannel) {
  old_frame(9);
  old_frame(10);
  now_ += milliseconds{3000};
  EXPECT_FALSE(change_.check_time(now_));
  EXPECT_FALSE(old_frame(11));
  EXPECT_EQ(frames(change_.take_old()), (Numbers{9, 10, 11}));
}

TEST_F(ChannelSwitchTest, WaitsForAKeyframeHoweverLateItComes) {
  now_ += milliseconds{60'000};
  change_.check_time(now_);
  EXPECT_FALSE(old_frame(11));
  EXPECT_TRUE(new_frame(12, true));
  EXPECT_EQ(frames(change_.take_new()), (Numbers{12}));
}

TEST_F(ChannelSwitchTest, HoldsFramesAgainWhenTheNewChannelStartsLate) {
  now_ += milliseconds{3000};
  change_.check_time(now_);
  old_frame(13);
  EXPECT_FALSE(new_frame(12, true)) << "the viewer has newer frames";
  old_frame(14);
  EXPECT_EQ(frames(change_.take_old()), (Numbers{13}));
  EXPECT_FALSE(new_frame(13));
  EXPECT_TRUE(new_frame(14, true));
  EXPECT_TRUE(change_.take_old().empty());
}

TEST_F(ChannelSwitchTest, GivingUpReturnsAllHeldFrames) {
  old_frame(9);
  old_frame(10);
  old_frame(11);
  EXPECT_EQ(frames(change_.give_up()), (Numbers{9, 10, 11}));
}

TEST_F(ChannelSwitchTest, DeliversTheAudioFramesOfBothChannels) {
  for (std::uint64_t n = 13; n <= 15; ++n) change_.from_new(queued(audio(n, kNew)), now_);
  change_.from_old(queued(audio(13)), now_);
  new_frame(10, true);
  change_.from_new(queued(audio(16, kNew)), now_);
  ASSERT_TRUE(old_frame(9));
  EXPECT_EQ(audio_frames(change_.take_old()), (Numbers{13}));
  EXPECT_EQ(audio_frames(change_.take_new()), (Numbers{13, 14, 15, 16}));
}

TEST_F(ChannelSwitchTest, IsBoundedBeforeAndAfterTheKeyframe) {
  for (std::uint64_t n = 13; n < 3000; ++n) change_.from_new(queued(audio(n, kNew)), now_);
  EXPECT_FALSE(new_frame(10, true));
  EXPECT_TRUE(new_frame(11));
  const auto items = change_.take_new();
  EXPECT_LE(items.size(), ChannelSwitch::kMaxStagedPackets);
  EXPECT_EQ(frames(items), (Numbers{10, 11}));
}

TEST_F(ChannelSwitchTest, CountsDroppedAudioFrames) {
  for (std::uint64_t n = 0; n < ChannelSwitch::kMaxStagedPackets + 3; ++n) {
    change_.from_new(queued(audio(13 + n, kNew)), now_);
  }
  EXPECT_EQ(change_.take_audio_frames_dropped(), 3u);
  EXPECT_EQ(change_.take_audio_frames_dropped(), 0u);
}

TEST_F(ChannelSwitchTest, DoesNotCountAudioThatTheOldChannelDelivered) {
  for (std::uint64_t n = 13; n < 3000; ++n) {
    change_.from_old(queued(audio(n)), now_);
    change_.from_new(queued(audio(n, kNew)), now_);
  }
  EXPECT_EQ(change_.take_audio_frames_dropped(), 0u);
}

}  // namespace
}  // namespace server
