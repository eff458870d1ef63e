#include "server/writing_time.h"

#include <gtest/gtest.h>

#include <utility>

namespace server {
namespace {

using namespace std::chrono_literals;

class WritingTimeTest : public testing::Test {
 protected:
  /// Writes that take `each`, one begun `apart` after the end of the last, until `end`.
  void run(base::Duration each, base::Duration apart, base::Time end) {
    while (now_ < end) {
      const auto begin = std::exchange(now_, now_ + each);
      written_ += each;
      now_ += apart;
      const auto rest = writing_.wrote(begin, begin + each);
      EXPECT_EQ(writing_.resting(), rest.has_value());
      if (!rest) continue;
      rested_ += *rest;
      now_ += *rest;
      writing_.rested();
    }
  }

  WritingTime writing_;
  base::Time now_{1h};
  base::Duration written_{}, rested_{};
};

TEST_F(WritingTimeTest, HalfOfTheTimeIsLeft) {
  run(30us, 0us, now_ + 1s);
  EXPECT_NEAR(base::seconds(written_), 0.5, 0.01);
}

TEST_F(WritingTimeTest, AWriteThatTookLongRestsForAsLong) {
  run(50ms, 0us, now_ + 1s);
  EXPECT_EQ(rested_, written_);
}

TEST_F(WritingTimeTest, WritesFarApartNeedNoRest) {
  run(300us, 1ms, now_ + 1s);
  EXPECT_EQ(rested_, 0s);
}

}  // namespace
}  // namespace server
