#include "app/viewer/next_sample_time.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr base::Time kCaptured{1h};
constexpr base::Duration kInterval = 40ms;

base::Duration look_after(base::Duration age) {
  return next_sample_time(kCaptured, kInterval, kCaptured + age) - kCaptured;
}

TEST(NextLook, IsJustBeforeTheNextFrame) {
  EXPECT_EQ(look_after(0ms), 37ms);
  EXPECT_EQ(look_after(10ms), 37ms);
  EXPECT_EQ(look_after(36ms), 37ms);
}

TEST(NextLook, LeavesOutAFrameThatCannotFollow) {
  EXPECT_EQ(look_after(37ms), 77ms);
  EXPECT_EQ(look_after(39ms), 77ms);
}

TEST(NextLook, KeepsTheTimesOfFramesThatWereSkipped) { EXPECT_EQ(look_after(130ms), 157ms); }

}  // namespace
}  // namespace app
