#include "server/handover.h"

#include <gtest/gtest.h>

#include "packets.h"

namespace server {
namespace {

using packets::audio;
using packets::frame;
using std::chrono::milliseconds;

constexpr media::ChannelId kA{0, 0};
constexpr media::ChannelId kB{0, 1};

struct Got {
  media::ChannelId channel;
  std::uint64_t number;
  bool splice;
  bool operator==(const Got&) const = default;
};

class HandoverTest : public testing::Test {
 protected:
  std::vector<Got> take() {
    std::vector<Handover::Event> events;
    handover_.take(events);
    std::vector<Got> got;
    for (const auto& event : events) {
      const auto& p = std::get<Published>(event);
      got.push_back({p.channel, p.item.packet->number, p.item.splice});
    }
    return got;
  }

  Handover handover_{milliseconds{330}};
};

TEST_F(HandoverTest, WakesTheLoopOncePerTake) {
  EXPECT_TRUE(handover_.publish(kA, frame(0, true)));
  EXPECT_FALSE(handover_.publish(kA, frame(1)));
  EXPECT_FALSE(handover_.push(ChannelClosed{kB}));
  std::vector<Handover::Event> events;
  handover_.take(events);
  EXPECT_EQ(events.size(), 3u);
  EXPECT_TRUE(handover_.publish(kA, frame(2)));
}

TEST_F(HandoverTest, DropsToTheNewestKeyframeOfTheChannel) {
  handover_.publish(kB, frame(0, true));
  for (std::uint64_t n = 0; n <= 11; ++n) handover_.publish(kA, frame(n, n == 0 || n == 9));
  EXPECT_EQ(take(),
            (std::vector<Got>{{kB, 0, false}, {kA, 9, true}, {kA, 10, false}, {kA, 11, false}}));
  EXPECT_EQ(handover_.packets_lost(), 9u);
}

TEST_F(HandoverTest, AudioFarBehindTheVideoIsNoBacklog) {
  for (std::uint64_t n = 0; n <= 5; ++n) {
    handover_.publish(kA, frame(100 + n, n == 0));
    handover_.publish(kA, audio(n));
  }
  EXPECT_EQ(take().size(), 12u);
}

TEST_F(HandoverTest, ABurstOfFilledInSilenceIsNoBacklog) {
  for (std::uint64_t n = 0; n < 100; ++n) handover_.publish(kA, audio(n));
  handover_.publish(kA, frame(100));
  EXPECT_EQ(take().size(), 101u);
}

TEST_F(HandoverTest, DropsAllUntilAKeyframeIfThereIsNone) {
  for (std::uint64_t n = 0; n <= 15; ++n) handover_.publish(kA, frame(n, n == 0));
  handover_.publish(kA, audio(24));
  EXPECT_TRUE(take().empty());
  handover_.publish(kA, frame(16));
  handover_.publish(kA, frame(17, true));
  handover_.publish(kA, frame(18));
  EXPECT_EQ(take(), (std::vector<Got>{{kA, 17, true}, {kA, 18, false}}));
  EXPECT_EQ(handover_.packets_lost(), 18u);
}

TEST_F(HandoverTest, DropsNothingWhileTheLoopKeepsUp) {
  std::size_t got = 0;
  for (std::uint64_t n = 0; n < 100; ++n) {
    handover_.publish(kA, frame(n, n == 0));
    if (n % 8 == 7) got += take().size();
  }
  got += take().size();
  EXPECT_EQ(got, 100u);
  EXPECT_EQ(handover_.packets_lost(), 0u);
}

TEST_F(HandoverTest, ForgetsAClosedChannelsState) {
  for (std::uint64_t n = 0; n <= 15; ++n) handover_.publish(kA, frame(n, n == 0));
  handover_.push(ChannelClosed{kA});
  handover_.publish(kA, frame(16));
  std::vector<Handover::Event> events;
  handover_.take(events);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_FALSE(std::get<Published>(events[1]).item.splice);
}

TEST_F(HandoverTest, KeepsTheNewestMoveOfEachViewer) {
  for (int i = 0; i < 10; ++i) handover_.push(ViewerMoved{1, kA, {}});
  handover_.push(ViewerMoved{2, kA, {}});
  handover_.push(ChannelClosed{kB});
  handover_.push(ViewerMoved{1, kB, {}});
  std::vector<Handover::Event> events;
  handover_.take(events);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(std::get<ViewerMoved>(events[0]).viewer, 2u);
  EXPECT_EQ(std::get<ViewerMoved>(events[2]).viewer, 1u);
  EXPECT_EQ(std::get<ViewerMoved>(events[2]).channel, kB);
  EXPECT_EQ(handover_.packets_lost(), 0u);
}

TEST_F(HandoverTest, IsBoundedIfTimestampsStandStill) {
  auto still = std::make_shared<media::Packet>(*frame(0));
  for (int i = 0; i < 10000; ++i) handover_.publish(kA, still);
  EXPECT_LE(take().size(), 1025u);
  EXPECT_GT(handover_.packets_lost(), 8000u);
}

}  // namespace
}  // namespace server
