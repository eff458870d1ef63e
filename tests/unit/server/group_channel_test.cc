#include "server/group_channel.h"

#include <gtest/gtest.h>

#include <functional>

#include "busy_loop.h"
#include "packets.h"

namespace server {
namespace {

using packets::audio;
using packets::frame;
using packets::queued;
using std::chrono::milliseconds;

class Member : public ChannelMember {
 public:
  bool on_packets(GroupChannel& channel, std::span<const QueuedPacket> items, base::Time) override {
    ++calls;
    for (const auto& item : items) got.push_back(item.packet);
    if (!items.back().is_video()) ++flushes;
    if (then) then(channel);
    return may_wait;
  }
  void on_channel_closed(GroupChannel& channel, base::Time) override {
    closed = true;
    channel.remove(*this);
  }

  std::vector<media::PacketPtr> got;
  std::function<void(GroupChannel&)> then;
  bool may_wait = false;
  int calls = 0;
  int flushes = 0;  ///< calls without a frame
  bool closed = false;
};

class GroupChannelTest : public testing::Test {
 protected:
  void publish(media::PacketPtr packet) { channel_.publish(queued(std::move(packet)), now_); }
  std::size_t joiner_gets(milliseconds most = milliseconds{1000}) {
    return channel_.gop(now_, most).packets.size();
  }

  base::Time now_{std::chrono::hours{1}};
  WriteMerging merging_;
  GroupChannel channel_{{1, 2}, merging_};
};

TEST_F(GroupChannelTest, SharesEachPacketWithEveryMember) {
  Member a;
  Member b;
  channel_.add(a);
  channel_.add(b);
  const auto packet = frame(1, true);
  publish(packet);
  ASSERT_EQ(a.got.size(), 1u);
  EXPECT_EQ(a.got[0].get(), packet.get());
  EXPECT_EQ(b.got[0].get(), packet.get());
}

TEST_F(GroupChannelTest, PassesAudioOnWithTheFrameAfterIt) {
  Member member;
  channel_.add(member);
  publish(audio(0));
  publish(audio(1));
  EXPECT_EQ(member.calls, 0);
  publish(frame(0, true));
  EXPECT_EQ(member.calls, 1);
  EXPECT_EQ(member.got.size(), 3u);
}

TEST_F(GroupChannelTest, AJoinerGetsThePacketsThatWaitOnlyOnce) {
  publish(frame(0, true));
  publish(audio(0));
  Member joiner;
  channel_.add(joiner);
  EXPECT_EQ(joiner_gets(), 1u);
  publish(frame(1));
  ASSERT_EQ(joiner.got.size(), 2u);
  EXPECT_EQ(joiner.got[0]->kind, media::Packet::Kind::kAudio);
}

TEST_F(GroupChannelTest, LetsMembersLeaveWhileItPublishes) {
  Member a;
  Member b;
  Member c;
  for (auto* member : {&a, &b, &c}) channel_.add(*member);
  a.then = [&](GroupChannel& channel) {
    channel.remove(a);
    channel.remove(b);
  };
  publish(frame(1));
  publish(frame(2));
  EXPECT_EQ(a.got.size(), 1u);
  EXPECT_EQ(b.got.size(), 0u);
  EXPECT_EQ(c.got.size(), 2u);
}

TEST_F(GroupChannelTest, AJoinerReceivesTheGopFromItsKeyframe) {
  publish(audio(0));
  publish(frame(0));
  publish(frame(1, true));
  publish(audio(1));
  publish(frame(2));
  const auto gop = channel_.gop(now_, milliseconds{1000});
  ASSERT_EQ(gop.packets.size(), 3u);
  EXPECT_EQ(gop.packets[0].packet->number, 1u);
  EXPECT_TRUE(gop.packets[0].is_keyframe());
}

TEST_F(GroupChannelTest, AJoinerReceivesNothingBeforeTheFirstKeyframe) {
  publish(frame(0));
  EXPECT_EQ(joiner_gets(), 0u);
}

TEST_F(GroupChannelTest, AJoinerReceivesNoGopOlderThanASecond) {
  publish(frame(0, true));
  now_ += milliseconds{999};
  EXPECT_EQ(joiner_gets(), 1u);
  EXPECT_EQ(joiner_gets(milliseconds{500}), 0u);
  now_ += milliseconds{1};
  EXPECT_EQ(joiner_gets(), 0u);
}

TEST_F(GroupChannelTest, ForgetsFramesOfAnOldGop) {
  publish(frame(0, true));
  for (std::uint64_t n = 1; n < 60; ++n) {
    now_ += milliseconds{33};
    publish(frame(n));
  }
  EXPECT_TRUE(channel_.recent().empty());
}

TEST_F(GroupChannelTest, KeepsRecentAudioFramesForViewersThatChangeGroup) {
  for (std::uint64_t n = 0; n < 100; ++n) publish(audio(n));
  const auto recent = channel_.recent();
  ASSERT_FALSE(recent.empty());
  EXPECT_EQ(recent.back().packet->number, 99u);
  EXPECT_LE(recent.back().packet->pts - recent.front().packet->pts, GroupChannel::kCachedAudio);
  EXPECT_GE(recent.size(), 23u);
}

TEST_F(GroupChannelTest, IsBoundedIfTimestampsStandStill) {
  auto still = std::make_shared<media::Packet>(*frame(0));
  auto noise = std::make_shared<media::Packet>(*audio(0));
  publish(frame(0, true));
  for (int i = 0; i < 2000; ++i) publish(i % 3 ? media::PacketPtr{still} : noise);
  EXPECT_LE(channel_.recent().size(), GroupChannel::kMaxCachedPackets);
  for (int i = 0; i < 2000; ++i) publish(noise);
  EXPECT_LE(channel_.recent().size(), GroupChannel::kMaxCachedPackets);
}

TEST_F(GroupChannelTest, FlushesFourAudioFramesWithoutAFrame) {
  Member member;
  channel_.add(member);
  for (std::uint64_t n = 0; n < 3; ++n) publish(audio(n));
  EXPECT_EQ(member.flushes, 0);
  publish(audio(3));
  EXPECT_EQ(member.flushes, 1);
}

TEST_F(GroupChannelTest, DoesNotFlushAudioWhileFramesCome) {
  Member member;
  channel_.add(member);
  for (std::uint64_t n = 0; n < 10; ++n) {
    publish(audio(2 * n));
    publish(audio(2 * n + 1));
    publish(frame(n));
    now_ += milliseconds{33};
    channel_.check_time(now_);
  }
  EXPECT_EQ(member.flushes, 0);
}

TEST_F(GroupChannelTest, FlushesAudioAfter50Milliseconds) {
  Member member;
  channel_.add(member);
  publish(audio(0));
  channel_.check_time(now_ + milliseconds{49});
  EXPECT_EQ(member.flushes, 0);
  channel_.check_time(now_ + milliseconds{50});
  channel_.check_time(now_ + milliseconds{100});
  EXPECT_EQ(member.flushes, 1);
}

class BusyChannelTest : public GroupChannelTest {
 protected:
  BusyChannelTest() {
    make_busy(merging_);
    for (auto& member : members_) {
      channel_.add(member);
      member.may_wait = true;
    }
  }
  /// Publishes a frame; returns how many members were called.
  int pass() {
    auto packet = std::make_shared<media::Packet>(*frame(number_, number_ == 0));
    packet->duration = milliseconds{33};
    ++number_;
    publish(packet);
    int called = 0;
    for (auto& member : members_) called += std::exchange(member.calls, 0);
    return called;
  }

  std::vector<Member> members_ = std::vector<Member>(30);
  std::uint64_t number_ = 0;
};

TEST_F(BusyChannelTest, EachPassServesTheSameShareOfTheMembersThatMayWait) {
  EXPECT_EQ(pass(), 30) << "nobody has said yet that they may wait";
  for (int i = 0; i < 9; ++i) EXPECT_EQ(pass(), 10);
  for (const auto& member : members_) {
    EXPECT_GE(member.got.size(), 8u) << "no more than two frames wait";
    for (std::uint64_t n = 0; n < member.got.size(); ++n) EXPECT_EQ(member.got[n]->number, n);
  }
}

TEST_F(BusyChannelTest, MembersThatMustNotWaitAreServedFirst) {
  members_[17].may_wait = false;
  pass();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i].then = [&order, i](GroupChannel&) { order.push_back(i); };
  }
  for (int i = 0; i < 3; ++i) {
    order.clear();
    pass();
    EXPECT_EQ(order.front(), 17u);
  }
}

TEST_F(BusyChannelTest, NobodyWaitsForAFrameThatDoesNotCome) {
  pass();
  pass();
  channel_.check_time(now_ + milliseconds{99});
  channel_.check_time(now_ + milliseconds{100});
  for (const auto& member : members_) EXPECT_EQ(member.got.size(), 2u);
}

TEST_F(BusyChannelTest, AMemberThatLeavesHoldsNothingBack) {
  pass();
  channel_.remove(members_[3]);
  for (int i = 0; i < 6; ++i) pass();
  EXPECT_EQ(members_[3].got.size(), 1u);
  EXPECT_GE(members_[29].got.size(), 5u);
}

TEST_F(BusyChannelTest, AClosingChannelLosesNothing) {
  pass();
  pass();
  channel_.close(now_);
  for (const auto& member : members_) {
    EXPECT_EQ(member.got.size(), 2u);
    EXPECT_TRUE(member.closed);
  }
}

TEST_F(GroupChannelTest, NotifiesEveryMemberWhenItCloses) {
  Member a;
  Member b;
  channel_.add(a);
  channel_.add(b);
  channel_.close(now_);
  EXPECT_TRUE(a.closed && b.closed);
}

}  // namespace
}  // namespace server
