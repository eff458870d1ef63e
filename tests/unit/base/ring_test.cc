#include "base/ring.h"

#include <gtest/gtest.h>

#include <memory>

namespace base {
namespace {

TEST(RingTest, KeepsTheOrderWhereverItBegins) {
  Ring<int> ring;
  int pushed = 0;
  int popped = 0;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 1 + round % 13; ++i) ring.push_back(pushed++);
    for (std::size_t i = 0; i < ring.size(); ++i) ASSERT_EQ(ring[i], popped + static_cast<int>(i));
    for (int i = 0; i < 1 + round % 7 && !ring.empty(); ++i) ASSERT_EQ(ring.pop_front(), popped++);
  }
  EXPECT_EQ(ring.size(), static_cast<std::size_t>(pushed - popped));
}

TEST(RingTest, ABurstDoesNotKeepItsMemory) {
  Ring<int> ring;
  for (int i = 0; i < 1000; ++i) ring.push_back(i);
  EXPECT_LT(ring.capacity(), 1500u);
  for (int i = 0; i < 20; ++i) {
    while (!ring.empty()) ring.pop_front();
    for (int j = 0; j < 6; ++j) ring.push_back(j);
  }
  EXPECT_LE(ring.capacity(), 12u);
}

TEST(RingTest, KeepsTheMemoryThatItUses) {
  Ring<int> ring;
  const int* block = nullptr;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 60; ++i) ring.push_back(i);
    while (ring.size() > 1) ring.pop_front();
    EXPECT_TRUE(round == 0 || &ring[0] - 59 == block);
    ring.pop_front();
    block = ring.next_slot();
  }
}

TEST(RingTest, LetsGoOfAnItemAtOnce) {
  Ring<std::shared_ptr<int>> ring;
  const auto item = std::make_shared<int>(1);
  ring.push_back(item);
  ring.push_back(item);
  ring.pop_front();
  EXPECT_EQ(item.use_count(), 2);
}

}  // namespace
}  // namespace base
