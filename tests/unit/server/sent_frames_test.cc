#include "server/sent_frames.h"

#include <gtest/gtest.h>

#include <vector>

namespace server {
namespace {

using Numbers = std::vector<std::uint64_t>;

class SentFramesTest : public testing::Test {
 protected:
  void push(std::uint64_t first, std::uint64_t last) {
    for (auto n = first; n <= last; ++n) frames_.push({.number = n, .end_offset = 100 * (n + 1)});
  }
  Numbers acked(std::uint64_t offset) {
    Numbers numbers;
    frames_.take_acked(offset, [&](const SentFrame& f) { numbers.push_back(f.number); });
    return numbers;
  }

  SentFrames frames_;
};

TEST_F(SentFramesTest, RemovesFramesWhollyBelowTheOffset) {
  push(0, 3);
  EXPECT_EQ(acked(99), (Numbers{}));
  EXPECT_EQ(acked(299), (Numbers{0, 1}));
  EXPECT_EQ(acked(1000), (Numbers{2, 3}));
  EXPECT_EQ(frames_.size(), 0u);
}

TEST_F(SentFramesTest, RemovesEachFrameOnceInALongStream) {
  std::uint64_t next = 0;
  for (std::uint64_t n = 0; n < 5000; n += 3) {
    push(n, n + 2);
    for (const auto number : acked(100 * (n > 7 * (n % 11) ? n - 7 * (n % 11) : 0))) {
      ASSERT_EQ(number, next++);
    }
  }
  frames_.take_all([&](const SentFrame& f) { ASSERT_EQ(f.number, next++); });
  EXPECT_GE(next, 5000u);
  EXPECT_EQ(frames_.size(), 0u);
}

TEST_F(SentFramesTest, ForgetsTheOldestBeyondItsBound) {
  push(0, SentFrames::kMaxFrames + 1);
  EXPECT_EQ(frames_.size(), SentFrames::kMaxFrames);
  EXPECT_EQ(frames_.forgotten(), 2u);
  EXPECT_EQ(acked(300), (Numbers{2}));
  push(SentFrames::kMaxFrames + 2, 3 * SentFrames::kMaxFrames);
  EXPECT_EQ(frames_.size(), SentFrames::kMaxFrames);
  EXPECT_EQ(acked(100 * 3 * SentFrames::kMaxFrames).back(), 3 * SentFrames::kMaxFrames - 1);
}

}  // namespace
}  // namespace server
