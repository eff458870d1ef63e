#include "transcoder/encode/reference_window.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

class ReferenceWindowTest : public ::testing::Test {
 protected:
  void add(std::uint64_t first, std::uint64_t last) {
    for (auto number = first; number <= last; ++number) window_.add(number, false);
  }

  ReferenceWindow window_{4};
};

TEST_F(ReferenceWindowTest, ForgetsWhileAnOlderFrameIsLeft) {
  window_.add(10, true);
  add(11, 12);
  EXPECT_EQ(window_.forget(11), 10U);
}

TEST_F(ReferenceWindowTest, CannotForgetTheKeyframe) {
  window_.add(10, true);
  add(11, 12);
  EXPECT_FALSE(window_.forget(10));
}

TEST_F(ReferenceWindowTest, DoesNotGoBackBeforeAKeyframe) {
  add(1, 3);
  window_.add(4, true);
  EXPECT_FALSE(window_.forget(4));
  EXPECT_FALSE(window_.forget(2));
}

TEST_F(ReferenceWindowTest, HoldsNoMoreThanItsSize) {
  window_.add(10, true);
  add(11, 16);  // 13 to 16 are held
  EXPECT_TRUE(window_.forget(14));
}

TEST_F(ReferenceWindowTest, CannotForgetAllThatItHolds) {
  window_.add(10, true);
  add(11, 16);
  EXPECT_FALSE(window_.forget(13));
}

TEST_F(ReferenceWindowTest, SkipsForgottenFramesForTheNewestUsableOne) {
  window_.add(10, true);
  add(11, 11);
  window_.forget(11);
  add(12, 12);
  EXPECT_EQ(window_.forget(12), 10U);
}

TEST_F(ReferenceWindowTest, ForgottenFramesTakeRoomAndStayUnusable) {
  window_.add(10, true);
  add(11, 12);
  EXPECT_TRUE(window_.forget(11));
  add(13, 14);  // 11 to 14 are held, 13 and 14 usable
  EXPECT_FALSE(window_.forget(13));
  EXPECT_TRUE(window_.forget(14));
}

}  // namespace
}  // namespace transcoder
