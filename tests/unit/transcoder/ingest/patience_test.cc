#include "transcoder/ingest/patience.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

constexpr base::Time kStart{1000s};
constexpr base::Duration kTimeout = 5s;  // the default of source.silence_timeout

TEST(PatienceTest, WithoutDataTheFirstPictureMayTakeTenSeconds) {
  const Patience patience{kTimeout, false};
  EXPECT_EQ(patience.exhausted({.picture = kStart}, kStart + 10s), std::nullopt);
  EXPECT_EQ(patience.exhausted({.picture = kStart}, kStart + 11s), 10s);
}

TEST(PatienceTest, WhileDataArriveAKeyframeMayTakeAMinute) {
  const Patience patience{kTimeout, false};
  for (auto now = kStart; now <= kStart + 60s; now += 1s) {
    EXPECT_EQ(patience.exhausted({.picture = kStart, .data = now}, now), std::nullopt);
  }
  EXPECT_EQ(patience.exhausted({.picture = kStart, .data = kStart + 66s}, kStart + 66s), 65s);
}

TEST(PatienceTest, DataThatStopEndTheWaitForAKeyframe) {
  const Patience patience{kTimeout, false};
  const Patience::Life life{.picture = kStart, .data = kStart + 20s};
  EXPECT_EQ(patience.exhausted(life, kStart + 30s), std::nullopt);
  EXPECT_EQ(patience.exhausted(life, kStart + 31s), 10s);
}

TEST(PatienceTest, AListenerWaitsForEver) {
  const Patience patience{kTimeout, true};
  EXPECT_EQ(patience.exhausted({.picture = kStart}, kStart + 24h), std::nullopt);
  EXPECT_EQ(patience.exhausted({.picture = kStart, .data = kStart + 24h}, kStart + 24h),
            std::nullopt);
}

TEST(PatienceTest, ASourceThatHasPlayedMayBeSilentForTheTimeout) {
  for (const bool waits_for_sender : {false, true}) {
    const Patience patience{kTimeout, waits_for_sender};
    for (const auto data : {kStart, kStart + 6s}) {
      const Patience::Life life{.picture = kStart, .data = data, .played = true};
      EXPECT_EQ(patience.exhausted(life, kStart + 5s), std::nullopt);
      EXPECT_EQ(patience.exhausted(life, kStart + 6s), 5s);
    }
  }
}

TEST(PatienceTest, TellsThatNothingHasComeYet) {
  const Patience patience{kTimeout, false};
  EXPECT_FALSE(patience.lacks_data({.picture = kStart}, kStart + 5s));
  EXPECT_TRUE(patience.lacks_data({.picture = kStart}, kStart + 6s));
  EXPECT_FALSE(patience.lacks_data({.picture = kStart, .data = kStart + 1s}, kStart + 6s));
  EXPECT_FALSE(patience.lacks_data({.picture = kStart, .played = true}, kStart + 6s));
  const Patience listener{kTimeout, true};
  EXPECT_FALSE(listener.lacks_data({.picture = kStart}, kStart + 24h));
}

TEST(PatienceTest, ALongTimeoutHoldsForTheFirstPictureToo) {
  const Patience patience{2min, false};
  EXPECT_EQ(patience.exhausted({.picture = kStart}, kStart + 120s), std::nullopt);
  EXPECT_EQ(patience.exhausted({.picture = kStart}, kStart + 121s), 120s);
}

}  // namespace
}  // namespace transcoder
