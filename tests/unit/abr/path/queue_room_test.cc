#include "abr/path/queue_room.h"

#include <gtest/gtest.h>

#include <array>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

class QueueRoomTest : public testing::Test {
 protected:
  /// Of a frame, the segment that begins at `position` is the first that is lost.
  void lose(std::int64_t position, BitRate pacing = BitRate::mbps(20)) {
    const std::array frame{DeliveredFrame{.end = end_}};
    room_.update({.frames = frame, .pacing = pacing}, kCapacity, now_ += 33ms);
    room_.update({.dupack = 1,
                  .acknowledged = end_ + ByteCount{position},
                  .recovering = true,
                  .pacing = pacing},
                 kCapacity, now_);
    end_ = end_ + ByteCount{40'000};
  }
  /// Where a queue of that room overflows.
  static std::int64_t position(double room, double pacing) {
    return static_cast<std::int64_t>(room / (1 - 8 / pacing));
  }
  ByteCount room() const { return room_.room(now_); }

  static constexpr auto kCapacity = BitRate::mbps(8);
  QueueRoom room_;
  ByteCount end_{1'000'000};
  base::Time now_{1h};
};

TEST_F(QueueRoomTest, IsWhatAFrameHasQueuedUntilItsFirstLoss) {
  for (int i = 0; i < 4; ++i) lose(10'000);
  EXPECT_EQ(room(), ByteCount{0}) << "four losses may agree by accident";
  lose(10'000);
  EXPECT_EQ(room(), ByteCount{6'000});
}

TEST_F(QueueRoomTest, IsTheSameWithEachPace) {
  for (const double mbps : {20, 12, 10, 20, 9, 16}) {
    lose(position(9'000, mbps), BitRate::mbps(mbps));
    lose(position(7'500, mbps), BitRate::mbps(mbps));
  }
  EXPECT_NEAR(static_cast<double>(room().bytes()), 7'500, 2);
}

TEST_F(QueueRoomTest, IsTheWholePositionWithoutPacing) {
  for (int i = 0; i < 5; ++i) lose(10'000, {});
  EXPECT_EQ(room(), ByteCount{10'000});
}

TEST_F(QueueRoomTest, IsUnknownIfAnySegmentMayBeLost) {
  for (const int position : {20'000, 3'000, 31'000, 12'000, 26'000, 9'000}) lose(position);
  EXPECT_EQ(room(), ByteCount{0});
}

TEST_F(QueueRoomTest, IsUnknownIfASlowerPaceChangesNothing) {
  for (int i = 0; i < 5; ++i) lose(20'000);
  for (int i = 0; i < 3; ++i) lose(20'000, BitRate::mbps(9));
  EXPECT_EQ(room(), ByteCount{0});
}

TEST_F(QueueRoomTest, GrowsAndIsForgottenWithoutLosses) {
  for (int i = 0; i < 5; ++i) lose(10'000);
  now_ += 5s;
  EXPECT_NEAR(static_cast<double>(room().bytes()), 6'600, 1);
  now_ += 56s;
  EXPECT_EQ(room(), ByteCount{0});
  lose(10'000);
  EXPECT_EQ(room(), ByteCount{0}) << "begins again";
}

TEST_F(QueueRoomTest, IsForgottenAfterATimeout) {
  for (int i = 0; i < 5; ++i) lose(10'000);
  room_.update({.rexmt = 1, .acknowledged = end_, .recovering = true}, kCapacity, now_);
  EXPECT_EQ(room(), ByteCount{0});
}

// TCP's own pacing follows its window, which a loss makes smaller.
TEST_F(QueueRoomTest, GoesByThePaceBeforeTheLoss) {
  for (int i = 0; i < 5; ++i) {
    room_.update({.pacing = BitRate::mbps(20)}, kCapacity, now_);
    room_.update({.dupack = 1, .acknowledged = ByteCount{10'000}, .pacing = BitRate::mbps(10)},
                 kCapacity, now_);
  }
  EXPECT_EQ(room(), ByteCount{6'000});
}

TEST_F(QueueRoomTest, CountsARecoveryWithoutItsEventOnce) {
  const auto recover = [&] {
    const Observation recovering{
        .acknowledged = ByteCount{10'000}, .recovering = true, .pacing = BitRate::mbps(20)};
    room_.update(recovering, kCapacity, now_);
    room_.update(recovering, kCapacity, now_);
    room_.update({.pacing = BitRate::mbps(20)}, kCapacity, now_);
  };
  for (int i = 0; i < 4; ++i) recover();
  EXPECT_EQ(room(), ByteCount{0});
  recover();
  EXPECT_EQ(room(), ByteCount{6'000});
}

}  // namespace
}  // namespace abr
