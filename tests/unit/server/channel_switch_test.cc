#include "server/channel_switch.h"

#include <gtest/gtest.h>

#include <numeric>

#include "packets.h"

namespace server {
namespace {

using Outcome = ChannelSwitch::Outcome;
using packets::kFrame;
using packets::picture;
using packets::queued;
using packets::sound;
using std::chrono::milliseconds;
using Numbers = std::vector<std::uint64_t>;

constexpr std::uint8_t kOld = 1;
constexpr std::uint8_t kNew = 2;

Numbers pictures(const std::vector<QueuedPacket>& items) {
  Numbers numbers;
  for (const auto& item : items) {
    if (item.is_video()) numbers.push_back(item.packet->number);
  }
  return numbers;
}

Numbers sounds(const std::vector<QueuedPacket>& items) {
  Numbers numbers;
  for (const auto& item : items) {
    if (!item.is_video()) numbers.push_back(item.packet->number);
  }
  return numbers;
}

/// A switch asked for at picture 10, the viewer having been given picture 8 and sound 12.
class ChannelSwitchTest : public testing::Test {
 protected:
  Outcome old_picture(std::uint64_t number) {
    return change_.from_old(queued(picture(number, false, kOld)), now_);
  }
  Outcome new_picture(std::uint64_t number, bool keyframe = false) {
    return change_.from_new(queued(picture(number, keyframe, kNew)), now_);
  }

  base::Time now_{std::chrono::hours{1}};
  ChannelSwitch change_{10 * kFrame, {8, 12}, now_};
};

TEST_F(ChannelSwitchTest, CutsAtTheKeyframe) {
  EXPECT_EQ(old_picture(9), Outcome::kPending);
  EXPECT_EQ(new_picture(9), Outcome::kPending);
  EXPECT_EQ(new_picture(10, true), Outcome::kSwitched);
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9}));
  EXPECT_EQ(pictures(change_.take_new()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, WaitsForTheOldChannelToCatchUp) {
  EXPECT_EQ(new_picture(10, true), Outcome::kPending);
  EXPECT_EQ(new_picture(11), Outcome::kPending);
  EXPECT_EQ(old_picture(9), Outcome::kSwitched);
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9}));
  EXPECT_EQ(pictures(change_.take_new()), (Numbers{10, 11}));
}

TEST_F(ChannelSwitchTest, DoesNotSendTheOldPictureAtTheCut) {
  EXPECT_EQ(new_picture(10, true), Outcome::kPending);
  EXPECT_EQ(old_picture(10), Outcome::kSwitched);  // the old encoder skipped 9
  EXPECT_TRUE(change_.take_old().empty());
  EXPECT_EQ(pictures(change_.take_new()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, HoldsOldPicturesForALateKeyframe) {
  old_picture(9);
  old_picture(10);
  old_picture(11);
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9}));
  EXPECT_EQ(new_picture(10, true), Outcome::kSwitched);
  EXPECT_TRUE(change_.take_old().empty());
  EXPECT_EQ(pictures(change_.take_new()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, GoesOnWithTheOldWhenTheKeyframeComesLater) {
  old_picture(9);
  old_picture(10);
  old_picture(11);
  EXPECT_EQ(new_picture(10), Outcome::kPending);
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9, 10}));
  EXPECT_EQ(new_picture(11), Outcome::kPending);
  EXPECT_EQ(new_picture(12, true), Outcome::kSwitched);
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
  EXPECT_EQ(new_picture(9, true), Outcome::kPending);
  EXPECT_EQ(old_picture(9), Outcome::kPending);
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9}));
}

TEST_F(ChannelSwitchTest, DoesNotRepeatPicturesForAKeyframeOfThePast) {
  ChannelSwitch late{10 * kFrame, {14, 20}, now_};
  EXPECT_EQ(late.from_new(queued(picture(12, true, kNew)), now_), Outcome::kPending);
  EXPECT_EQ(late.from_old(queued(picture(15)), now_), Outcome::kPending);
  EXPECT_EQ(late.from_new(queued(picture(16, true, kNew)), now_), Outcome::kSwitched);
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
  EXPECT_EQ(change_.on_time(now_ + milliseconds{299}), Outcome::kPending);
  EXPECT_EQ(change_.on_time(now_ + milliseconds{300}), Outcome::kSwitched);
  EXPECT_EQ(pictures(change_.take_new()), (Numbers{10}));
}

TEST_F(ChannelSwitchTest, LeavesAnOldChannelThatIsClosed) {
  EXPECT_EQ(change_.old_closed(), Outcome::kPending);
  EXPECT_EQ(new_picture(10, true), Outcome::kSwitched);
}

TEST_F(ChannelSwitchTest, IsAbandonedWithoutAKeyframe) {
  old_picture(9);
  old_picture(10);
  EXPECT_EQ(change_.on_time(now_ + milliseconds{3000}), Outcome::kAbandoned);
  EXPECT_EQ(pictures(change_.take_old()), (Numbers{9, 10}));
}

TEST_F(ChannelSwitchTest, GivesUpWithEverythingOfTheOld) {
  old_picture(9);
  old_picture(10);
  old_picture(11);
  EXPECT_EQ(pictures(change_.give_up()), (Numbers{9, 10, 11}));
}

TEST_F(ChannelSwitchTest, GivesEachSoundOnce) {
  for (std::uint64_t n = 11; n <= 15; ++n) change_.from_new(queued(sound(n, kNew)), now_);
  change_.from_old(queued(sound(13)), now_);
  change_.from_old(queued(sound(14)), now_);
  new_picture(10, true);
  change_.from_new(queued(sound(16, kNew)), now_);
  ASSERT_EQ(old_picture(9), Outcome::kSwitched);
  EXPECT_EQ(sounds(change_.take_old()), (Numbers{13, 14}));
  EXPECT_EQ(sounds(change_.take_new()), (Numbers{15, 16}));
}

TEST_F(ChannelSwitchTest, IsBoundedBeforeAndAfterTheKeyframe) {
  for (std::uint64_t n = 13; n < 3000; ++n) change_.from_new(queued(sound(n, kNew)), now_);
  EXPECT_EQ(new_picture(10, true), Outcome::kPending);
  EXPECT_EQ(new_picture(11), Outcome::kSwitched);
  const auto items = change_.take_new();
  EXPECT_LE(items.size(), ChannelSwitch::kMaxStaged);
  EXPECT_EQ(pictures(items), (Numbers{10, 11}));
}

}  // namespace
}  // namespace server
