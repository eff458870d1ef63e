#include "server/write_merging.h"

#include <gtest/gtest.h>

namespace server {
namespace {

using namespace std::chrono_literals;

class WriteMergingTest : public testing::Test {
 protected:
  static constexpr base::Duration kFrame = 33ms;

  /// For `time`, passes take as long as `writes` times one write for each frame. As in a channel,
  /// each of n frames per write leaves an n-th of the writes.
  void run(base::Duration time, base::Duration writes) {
    for (const auto end = now_ + time; now_ < end; now_ += kFrame) {
      merging_.passed(now_, now_ + writes / merging_.frames(kFrame));
    }
  }

  WriteMerging merging_;
  base::Time now_{1h};
};

TEST_F(WriteMergingTest, EachFrameIsWrittenAtOnceWhileTheLoopHasTime) {
  run(10s, 9ms);
  EXPECT_EQ(merging_.frames(kFrame), 1u);
}

TEST_F(WriteMergingTest, UnderLoadFramesAreMergedUntilTheLoopHasTimeAgain) {
  run(10s, 13ms);
  EXPECT_EQ(merging_.frames(kFrame), 2u);
  run(10s, 100ms);
  EXPECT_EQ(merging_.frames(kFrame), 3u);
  EXPECT_EQ(merging_.used(), 3u);
  run(10s, 3ms);
  EXPECT_EQ(merging_.frames(kFrame), 1u);
  EXPECT_EQ(merging_.used(), 1u);
}

TEST_F(WriteMergingTest, AWriteTakesTheFramesOfATenthOfASecond) {
  run(20s, 300ms);
  EXPECT_EQ(merging_.frames(100ms), 1u);
  EXPECT_EQ(merging_.frames(40ms), 3u);
  EXPECT_EQ(merging_.frames(36ms), 3u) << "a late frame";
  EXPECT_EQ(merging_.frames(33ms), 3u);
  EXPECT_EQ(merging_.frames(16ms), 6u);
  EXPECT_EQ(merging_.frames(0ms), 1u) << "the interval is unknown";
}

// Whatever the load, the number settles.
TEST_F(WriteMergingTest, TheNumberDoesNotGoBackAndForth) {
  for (auto writes = 1ms; writes < 100ms; writes += 1ms) {
    run(20s, writes);
    const auto settled = merging_.frames(kFrame);
    for (int second = 0; second < 20; ++second) {
      run(1s, writes);
      ASSERT_EQ(merging_.frames(kFrame), settled) << writes.count() << " ms";
    }
  }
}

}  // namespace
}  // namespace server
