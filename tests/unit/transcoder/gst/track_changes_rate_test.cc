#include <gtest/gtest.h>

#include "transcoder/gst/track_changes.h"

namespace transcoder {
namespace {

using namespace std::chrono_literals;

const base::Time kStart{1000s};

TEST(TrackChanges, UsualOnesAreNotLogged) {
  TrackChanges changes;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(changes.note(1, kStart + i * 2s));
}

TEST(TrackChanges, TooManyAreOneLineAMinute) {
  TrackChanges changes;
  int lines = 0;
  std::uint64_t logged = 0;
  for (int i = 0; i < 1200; ++i) {  // two minutes
    if (const auto times = changes.note(1, kStart + i * 100ms)) {
      ++lines;
      logged += *times;
    }
  }
  EXPECT_EQ(lines, 2);
  EXPECT_GT(logged, 600);
}

TEST(TrackChanges, NoneIsNoChange) { EXPECT_FALSE(TrackChanges{}.note(0, kStart)); }

}  // namespace
}  // namespace transcoder
