#include "netlab/viewing.h"

#include <gtest/gtest.h>

namespace netlab {
namespace {

using namespace std::chrono_literals;

Viewing viewing_of(std::initializer_list<Ticks> pts) {
  Viewing viewing;
  for (const Ticks ticks : pts) viewing.add({.pts = ticks, .bytes = 10});
  return viewing;
}

TEST(ViewingTest, EvenFramesHaveNeitherGapNorRepeat) {
  const auto state = viewing_of({0, 3000, 6000, 9000}).state();
  EXPECT_EQ(state.gaps, 0u);
  EXPECT_EQ(state.repeats, 0u);
  EXPECT_DOUBLE_EQ(state.interval_s, 1.0 / 30);
  EXPECT_DOUBLE_EQ(state.media_s, 0.1);
}

TEST(ViewingTest, CountsAGap) { EXPECT_EQ(viewing_of({0, 3000, 9000, 12000}).state().gaps, 1u); }

TEST(ViewingTest, CountsARepeat) {
  EXPECT_EQ(viewing_of({0, 3000, 3000, 6000, 9000}).state().repeats, 1u);
}

TEST(ViewingTest, FindsTheLongestWait) {
  Viewing viewing;
  for (const auto arrival : {1000ms, 1033ms, 1500ms, 1533ms}) {
    viewing.add({.arrival = base::Time{arrival}});
  }
  EXPECT_DOUBLE_EQ(viewing.state().longest_wait_s, 0.467);
}

TEST(ViewingTest, IsEmptyWithoutFrames) {
  EXPECT_EQ(Viewing{}.state().pictures, 0u);
  EXPECT_FALSE(Viewing{}.state().first_arrival);
}

}  // namespace
}  // namespace netlab
