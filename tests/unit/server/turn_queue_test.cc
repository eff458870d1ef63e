#include "server/turn_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace server {
namespace {

using testing::ElementsAre;

class TurnQueueTest : public testing::Test {
 protected:
  TurnQueueTest() {
    for (auto& member : members_) queue_.insert(&member);
  }
  std::vector<int> turns(std::size_t most, std::size_t budget = 100) {
    std::vector<int> result;
    queue_.take_turns(most, budget, [&](int member) {
      result.push_back(member);
      return std::size_t{1};
    });
    return result;
  }

  std::array<int, 3> members_{0, 1, 2};
  TurnQueue<int> queue_;
};

TEST_F(TurnQueueTest, GoesOnWhereItEnded) {
  EXPECT_THAT(turns(2), ElementsAre(0, 1));
  EXPECT_THAT(turns(2), ElementsAre(2, 0));
}

TEST_F(TurnQueueTest, GivesOneTurnEachAtMost) { EXPECT_THAT(turns(9), ElementsAre(0, 1, 2)); }

TEST_F(TurnQueueTest, EndsWithTheBudget) {
  EXPECT_THAT(turns(9, 2), ElementsAre(0, 1));
  EXPECT_THAT(turns(9, 2), ElementsAre(2, 0));
}

TEST_F(TurnQueueTest, TurnsWithoutCostAreFree) {
  int count = 0;
  queue_.take_turns(9, 1, [&](int) {
    ++count;
    return std::size_t{0};
  });
  EXPECT_EQ(count, 3);
}

TEST_F(TurnQueueTest, ATurnMayEraseAny) {
  int count = 0;
  queue_.take_turns(9, 9, [&](int) {
    for (auto& member : members_) queue_.erase(&member);
    ++count;
    return std::size_t{1};
  });
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(queue_.empty());
}

TEST_F(TurnQueueTest, HoldsEachOnce) {
  queue_.insert(&members_[0]);
  EXPECT_EQ(queue_.size(), 3U);
  queue_.erase(&members_[0]);
  EXPECT_FALSE(queue_.contains(&members_[0]));
  EXPECT_THAT(turns(9), ElementsAre(1, 2));
}

}  // namespace
}  // namespace server
