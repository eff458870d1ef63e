#include "base/bounded_queue.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(BoundedQueueTest, DropsTheOldestWhenFullAndCountsIt) {
  BoundedQueue<int> queue{2};
  EXPECT_TRUE(queue.push(1));
  EXPECT_TRUE(queue.push(2));
  EXPECT_FALSE(queue.push(3));
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_EQ(queue.pop(), 3);
  EXPECT_EQ(queue.dropped(), 1u);
}

TEST(BoundedQueueTest, PopsTheRemainingItemsAfterClosingThenNothing) {
  BoundedQueue<int> queue{2};
  queue.push(1);
  queue.close();
  EXPECT_FALSE(queue.push(2));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(BoundedQueueTest, TakesAllWithoutWaiting) {
  BoundedQueue<int> queue{2};
  EXPECT_TRUE(queue.take().empty());
  queue.push(1);
  queue.push(2);
  EXPECT_FALSE(queue.closed());
  queue.close();
  EXPECT_TRUE(queue.closed());
  EXPECT_EQ(queue.take(), (std::deque{1, 2}));
  EXPECT_TRUE(queue.take().empty());
}

}  // namespace
}  // namespace base
