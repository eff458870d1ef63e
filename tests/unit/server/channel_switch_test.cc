#include "server/channel_switch.h"

#include <gtest/gtest.h>

#include <numeric>

#include "packets.h"

namespace server {
namespace {

using packets::kFrame;
using packets::picture;
using packets::queued;
using packets::sound;
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
Numbers pictures(const auto& items) { return numbers(items, media::Packet::Kind::kVideo); }
Numbers sounds(const auto& items) { return numbers(items, media::Packet::Kind::kAudio); }

/// A switch asked for at picture 10, the viewer having been given picture 8.
class ChannelSwitchTest : public testing::Test {
 protected:
  bool old_picture(std::uint64_t number) {
    return change_.from_old(queued(picture(number, false, kOld)), now_);
  }
  bool new_picture(std::uint64_t number, bool keyframe = false) {
    return change_.from_new(queued(picture(number, keyframe, kNew)), now_);
  }

  base::Time now_{std::chrono::hours{1}};
  ChannelSwitch change_{10 * kFrame, 8, now_};
};

TEST_F(ChannelSwitchTest, CutsAtTheKeyframe) {
  EXPECT_FALSE(old_picture(9));
  EXPECT_FALSE(new_picture(9));
  EXPECT_TRUE(new_picture(10, true));
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9}));
  EXPECT_EQ(pictures(change_.take_new()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, WaitsForTheOldChannelToCatchUp) {
  EXPECT_FALSE(new_picture(10, true));
  EXPECT_FALSE(new_picture(11));
  EXPECT_TRUE(old_picture(9));
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9}));
  EXPECT_EQ(pictures(change_.take_new()), (Numbers{10, 11}));
}

TEST_F(ChannelSwitchTest, DoesNotSendTheOldPictureAtTheCut) {
  EXPECT_FALSE(new_picture(10, true));
  EXPECT_TRUE(old_picture(10));  // the old encoder skipped 9
  EXPECT_TRUE(change_.take_old().empty());
  EXPECT_EQ(pictures(change_.take_new()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, HoldsOldPicturesForALateKeyframe) {
  old_picture(9);
  old_picture(10);
  old_picture(11);
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9}));
  EXPECT_TRUE(new_picture(10, true));
  EXPECT_TRUE(change_.take_old().empty());
  EXPECT_EQ(pictures(change_.take_new()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, GoesOnWithTheOldWhenTheKeyframeComesLater) {
  old_picture(9);
  old_picture(10);
  old_picture(11);
  EXPECT_FALSE(new_picture(10));
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9, 10}));
  EXPECT_FALSE(new_picture(11));
  EXPECT_TRUE(new_picture(12, true));
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{11}));
  EXPECT_EQ(pictures(change_.take_new()), (Numbers{12}));
}

TEST_F(ChannelSwitchTest, HoldsNothingThatTheNewChannelHasPassedWithoutAKeyframe) {
  new_picture(10);
  old_picture(9);
  old_picture(10);
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9, 10}));
}

TEST_F(ChannelSwitchTest, DoesNotUseAKeyframeBeforeTheTime) {
  EXPECT_FALSE(new_picture(9, true));
  EXPECT_FALSE(old_picture(9));
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9}));
}

TEST_F(ChannelSwitchTest, DoesNotRepeatPicturesForAKeyframeOfThePast) {
  ChannelSwitch late{10 * kFrame, 14, now_};
  EXPECT_FALSE(late.from_new(queued(picture(12, true, kNew)), now_));
  EXPECT_FALSE(late.from_old(queued(picture(15)), now_));
  EXPECT_TRUE(late.from_new(queued(picture(16, true, kNew)), now_));
  EXPECT_EQ(pictures(late.take_old()), (Numbers{15}));
  EXPECT_EQ(pictures(late.take_new()), (Numbers{16}));
}

TEST_F(ChannelSwitchTest, HoldsAPictureForThreeTenthsOfASecond) {
  old_picture(9);
  old_picture(10);
  change_.on_time(now_ + milliseconds{299});
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9}));
  change_.on_time(now_ + milliseconds{300});
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, LeavesAnOldChannelThatIsStuck) {
  new_picture(10, true);
  EXPECT_FALSE(change_.on_time(now_ + milliseconds{299}));
  EXPECT_TRUE(change_.on_time(now_ + milliseconds{300}));
  EXPECT_EQ(pictures(change_.take_new()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, LeavesAnOldChannelThatIsClosed) {
  EXPECT_FALSE(change_.old_closed());
  EXPECT_TRUE(new_picture(10, true));
}

TEST_F(ChannelSwitchTest, HoldsNothingForAChannelThatHasNotBegun) {
  old_picture(9);
  old_picture(10);
  now_ += milliseconds{3000};
  EXPECT_FALSE(change_.on_time(now_));
  EXPECT_FALSE(old_picture(11));
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9, 10, 11}));
}

TEST_F(ChannelSwitchTest, WaitsForAKeyframeHoweverLateItComes) {
  now_ += milliseconds{60'000};
  change_.on_time(now_);
  EXPECT_FALSE(old_picture(11));
  EXPECT_TRUE(new_picture(12, true));
  EXPECT_EQ(pictures(change_.take_new()), (Numbers{12}));
}

TEST_F(ChannelSwitchTest, HoldsAgainForAChannelThatBeginsLate) {
  now_ += milliseconds{3000};
  change_.on_time(now_);
  old_picture(13);
  EXPECT_FALSE(new_picture(12, true)) << "the viewer is past it";
  old_picture(14);
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{13}));
  EXPECT_FALSE(new_picture(13));
  EXPECT_TRUE(new_picture(14, true));
  EXPECT_TRUE(change_.take_old().empty());
}

TEST_F(ChannelSwitchTest, GivesUpWithEverythingOfTheOld) {
  old_picture(9);
  old_picture(10);
  old_picture(11);
  EXPECT_EQ(pictures(change_.give_up()), (Numbers{9, 10, 11}));
}

TEST_F(ChannelSwitchTest, GivesTheSoundsOfBothChannels) {
  for (std::uint64_t n = 13; n <= 15; ++n) change_.from_new(queued(sound(n, kNew)), now_);
  change_.from_old(queued(sound(13)), now_);
  new_picture(10, true);
  change_.from_new(queued(sound(16, kNew)), now_);
  ASSERT_TRUE(old_picture(9));
  EXPECT_EQ(sounds(change_.take_old()), (Numbers{13}));
  EXPECT_EQ(sounds(change_.take_new()), (Numbers{13, 14, 15, 16}));
}

TEST_F(ChannelSwitchTest, IsBoundedBeforeAndAfterTheKeyframe) {
  for (std::uint64_t n = 13; n < 3000; ++n) change_.from_new(queued(sound(n, kNew)), now_);
  EXPECT_FALSE(new_picture(10, true));
  EXPECT_TRUE(new_picture(11));
  const auto items = change_.take_new();
  EXPECT_LE(items.size(), ChannelSwitch::kMaxStaged);
  EXPECT_EQ(pictures(items), (Numbers{10, 11}));
}

TEST_F(ChannelSwitchTest, CountsTheSoundsThatWereLost) {
  for (std::uint64_t n = 0; n < ChannelSwitch::kMaxStaged + 3; ++n) {
    change_.from_new(queued(sound(13 + n, kNew)), now_);
  }
  EXPECT_EQ(change_.take_sounds_dropped(), 3u);
  EXPECT_EQ(change_.take_sounds_dropped(), 0u);
}

TEST_F(ChannelSwitchTest, ASoundThatTheOldChannelGaveIsNotLost) {
  for (std::uint64_t n = 13; n < 3000; ++n) {
    change_.from_old(queued(sound(n)), now_);
    change_.from_new(queued(sound(n, kNew)), now_);
  }
  EXPECT_EQ(change_.take_sounds_dropped(), 0u);
}

}  // namespace
}  // namespace server
