#include "transcoder/time/pacer.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

const base::Time kStart{1000s};

TEST(PacerTest, ReleasesTheFirstPictureAtOnce) {
  Pacer pacer{Pacer::SourceKind::kFile};
  EXPECT_EQ(pacer.picture(7s, kStart), kStart);
}

TEST(PacerTest, SpacesLaterPicturesByTheirTimestamps) {
  Pacer pacer{Pacer::SourceKind::kFile};
  pacer.picture(7s, kStart);
  EXPECT_EQ(pacer.picture(7s + 40ms, kStart + 1ms), kStart + 40ms);
  EXPECT_EQ(pacer.picture(7s + 80ms, kStart + 45ms), kStart + 80ms);
}

TEST(PacerTest, CatchesUpWithALateFile) {
  Pacer pacer{Pacer::SourceKind::kFile};
  pacer.picture(0s, kStart);
  EXPECT_EQ(pacer.picture(40ms, kStart + 500ms), kStart + 40ms);
  EXPECT_EQ(pacer.picture(600ms, kStart + 501ms), kStart + 600ms);
}

TEST(PacerTest, ContinuesFromNowWhenMoreThanASecondLate) {
  Pacer pacer{Pacer::SourceKind::kFile};
  pacer.picture(0s, kStart);
  EXPECT_EQ(pacer.picture(40ms, kStart + 2s), kStart + 2s);
  EXPECT_EQ(pacer.picture(80ms, kStart + 2s), kStart + 2s + 40ms);
}

TEST(PacerTest, WaitsOutALongGapOfAFile) {
  Pacer pacer{Pacer::SourceKind::kFile};
  pacer.picture(0s, kStart);
  EXPECT_EQ(pacer.picture(60s, kStart), kStart + 60s);
}

TEST(PacerTest, TreatsALongGapOfANetworkSourceAsAJump) {
  Pacer pacer{Pacer::SourceKind::kNetwork};
  pacer.picture(0s, kStart);
  EXPECT_EQ(pacer.picture(60s, kStart + 40ms), kStart + 40ms);
}

TEST(PacerTest, DrainsANetworkBacklogAt500Ppm) {
  Pacer pacer{Pacer::SourceKind::kNetwork};
  auto now = kStart;
  base::Duration source = 0s;
  pacer.picture(source, now);
  for (; source < 100s; source += 40ms) now = pacer.picture(source, now);
  EXPECT_NEAR(base::seconds(now - kStart), 99.95, 0.05);
  EXPECT_LT(now - kStart, 99960ms);
}

TEST(PacerTest, DoesNotOutrunASegmentedSource) {
  // HLS: segments of 6 s appear as a whole, and playing begins three segments behind.
  constexpr auto kSegment = 6s;
  Pacer pacer{Pacer::SourceKind::kNetwork};
  auto out = kStart + 3 * kSegment;
  base::Duration longest{};
  for (base::Duration source = 0s; source < 24h; source += 40ms) {
    const auto there = kStart + (source / kSegment + 1) * kSegment;
    const auto read = std::max(there, out);
    const auto due = std::max(read, pacer.picture(source, read));
    if (source > 0s) longest = std::max(longest, due - out);
    out = due;
  }
  EXPECT_LE(longest, 45ms);
}

TEST(PacerTest, KeepsTheTimestampsOfAFile) {
  Pacer pacer{Pacer::SourceKind::kFile};
  auto now = kStart;
  pacer.picture(0s, now);
  for (base::Duration source = 0s; source <= 100s; source += 40ms) now = pacer.picture(source, now);
  EXPECT_EQ(now, kStart + 100s);
}

TEST(PacerTest, AudioFollowsThePictures) {
  Pacer pacer{Pacer::SourceKind::kFile};
  EXPECT_FALSE(pacer.audio(0s));
  pacer.picture(2s, kStart);
  EXPECT_EQ(pacer.audio(1s), kStart - 1s);
}

}  // namespace
}  // namespace transcoder
