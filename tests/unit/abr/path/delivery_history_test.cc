#include "abr/path/delivery_history.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::ByteCount;

class DeliveryHistoryTest : public testing::Test {
 protected:
  base::Duration newest() { return history_.before(begin_ + 1h)->at - begin_; }

  DeliveryHistory history_;
  const base::Time begin_{1h};
};

TEST_F(DeliveryHistoryTest, SkipsSnapshotsThatFollowClosely) {
  history_.add({begin_, ByteCount{0}, ByteCount{9'000}});
  history_.add({begin_ + 2ms, ByteCount{3'000}, ByteCount{6'000}});
  EXPECT_EQ(newest(), 0ms);
  history_.add({begin_ + 6ms, ByteCount{6'000}, ByteCount{3'000}});
  EXPECT_EQ(newest(), 6ms);
}

// A frame's data is due a round trip after it left, so that time must be known.
TEST_F(DeliveryHistoryTest, KeepsASnapshotOfANewFrameHoweverSoon) {
  history_.add({begin_, ByteCount{6'000}, ByteCount{3'000}});
  history_.add({begin_ + 1ms, ByteCount{7'000}, ByteCount{22'000}});
  EXPECT_EQ(newest(), 1ms);
}

TEST_F(DeliveryHistoryTest, KeepsOneSnapshotOfFourSecondsAgo) {
  for (int i = 0; i < 10; ++i) history_.add({begin_ + 2s * i, ByteCount{1000 * i}, {}});
  const auto* old = history_.before(begin_ + 14s);
  ASSERT_NE(old, nullptr);
  EXPECT_EQ(old->delivered.bytes(), 7000);
  EXPECT_EQ(history_.before(begin_ + 13s), nullptr);
}

}  // namespace
}  // namespace abr
