#include "screen.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace control {
namespace {

/// A screen for a recording with pictures of these numbers.
Screen screen(std::vector<std::uint32_t> numbers) {
  return Screen{[numbers, i = std::size_t{0}]() mutable -> std::optional<NumberedFrame> {
    if (i == numbers.size()) return std::nullopt;
    return NumberedFrame{numbers[i++], nullptr};
  }};
}

TEST(ScreenTest, ShowsTheRequestedPicture) {
  Screen tested = screen({3, 4, 5, 6});
  EXPECT_EQ(tested.show(3).number, 3U);
  EXPECT_EQ(tested.show(5).number, 5U);
  EXPECT_EQ(tested.show(5).number, 5U);
}

TEST(ScreenTest, ShowsTheOlderPictureInPlaceOfOneThatIsNotInTheRecording) {
  Screen tested = screen({3, 4, 7});
  EXPECT_EQ(tested.show(5).number, 4U);
  EXPECT_EQ(tested.show(6).number, 4U);
  EXPECT_EQ(tested.show(7).number, 7U);
}

TEST(ScreenTest, KeepsTheLastPictureAtTheEnd) { EXPECT_EQ(screen({3}).show(9).number, 3U); }

TEST(ScreenTest, HasNothingToShowBeforeTheFirstPicture) {
  EXPECT_THROW(screen({3}).show(2), std::runtime_error);
  EXPECT_THROW(screen({}).show(2), std::runtime_error);
}

}  // namespace
}  // namespace control
