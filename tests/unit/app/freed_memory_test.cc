#include "app/freed_memory.h"

#include <gtest/gtest.h>

namespace app {
namespace {

constexpr int kMany = 4 * FreedMemory::kWorthIt;

TEST(FreedMemoryTest, IsGivenBackOnceWhenMostClientsHaveGone) {
  FreedMemory freed;
  EXPECT_FALSE(freed.due(kMany));
  EXPECT_FALSE(freed.due(kMany / 2 + 1));
  EXPECT_FALSE(freed.due(kMany / 2)) << "they may still be going";
  EXPECT_TRUE(freed.due(kMany / 2));
  EXPECT_FALSE(freed.due(kMany / 2));
}

TEST(FreedMemoryTest, WaitsUntilTheyHaveStoppedGoing) {
  FreedMemory freed;
  freed.due(kMany);
  EXPECT_FALSE(freed.due(kMany / 2));
  EXPECT_FALSE(freed.due(0));
  EXPECT_TRUE(freed.due(0));
}

TEST(FreedMemoryTest, AFewClientsAreNotWorthIt) {
  FreedMemory freed;
  freed.due(FreedMemory::kWorthIt - 1);
  EXPECT_FALSE(freed.due(0));
  EXPECT_FALSE(freed.due(0));
}

TEST(FreedMemoryTest, ManyMayComeAgain) {
  FreedMemory freed;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(freed.due(kMany));
    EXPECT_FALSE(freed.due(0));
    EXPECT_TRUE(freed.due(0));
  }
}

}  // namespace
}  // namespace app
