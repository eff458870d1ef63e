#include "abr/policy/window_control.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

/// 6 Mbit/s over a path of 8 Mbit/s and 40 ms.
class WindowControlTest : public testing::Test {
 protected:
  std::uint32_t next(base::Duration after = 33ms) {
    return control_.next(seen_, path_, demand_, now_ += after);
  }
  /// The largest window that is set in that time.
  std::uint32_t largest(base::Duration time) {
    std::uint32_t window = 0;
    for (const auto end = now_ + time; now_ < end;) window = std::max(window, next());
    return window;
  }

  WindowControl control_;
  Observation seen_{.srtt = 40ms, .min_rtt = 40ms, .cwnd = 5, .ssthresh = 5, .mss = 1448};
  PathState path_{.capacity = BitRate::mbps(8), .round_trip = 40ms};
  WindowControl::Demand demand_{
      .rate = BitRate::mbps(6), .ceiling = BitRate::mbps(6), .quiet = true};
  base::Time now_{1h};
};

/// Segments of 6 Mbit/s over 40 ms and a frame, and a quarter more.
constexpr std::uint32_t kNeededWindow = 47;

TEST_F(WindowControlTest, EnlargesASmallWindowToThePathsNeed) { EXPECT_EQ(next(), kNeededWindow); }

TEST_F(WindowControlTest, LeavesALargeWindow) {
  seen_.cwnd = 60;
  EXPECT_EQ(largest(1s), 0u);
}

TEST_F(WindowControlTest, SetsTheSameWindowOncePerRoundTrip) {
  seen_.srtt = path_.round_trip = 100ms;
  EXPECT_GT(next(), 0u);
  EXPECT_EQ(next(99ms), 0u);
  EXPECT_GT(next(1ms), 0u);
}

TEST_F(WindowControlTest, SetsALargerWindowForALongerPath) {
  seen_.srtt = path_.round_trip = 100ms;
  EXPECT_GT(next(), 80u);
}

TEST_F(WindowControlTest, LeavesTheWindowWhileAQueueMayHaveCausedTheLoss) {
  seen_.srtt = 65ms;
  EXPECT_EQ(largest(1s), 0u);
}

TEST_F(WindowControlTest, LeavesTheWindowDuringARecovery) {
  seen_.recovering = true;
  EXPECT_EQ(largest(1s), 0u);
}

/// 2 Mbit/s behind a queue of 260 ms that others fill; 4 Mbit/s may be ours.
class SharedQueueTest : public WindowControlTest {
 protected:
  SharedQueueTest() {
    path_.cross_traffic = true;
    path_.queue = 260ms;
    seen_.srtt = 300ms;
    demand_.rate = BitRate::mbps(2);
    demand_.share = BitRate::mbps(4);
  }
};

/// Segments of 1.5 times 2 Mbit/s, over 300 ms and a frame.
constexpr std::uint32_t kSharedWindow = 86;

TEST_F(SharedQueueTest, TheWindowHasRoomForTheNextStep) { EXPECT_EQ(next(), kSharedWindow); }

TEST_F(SharedQueueTest, ButNoMoreThanMayBeOurs) {
  demand_.rate = BitRate::mbps(4);
  EXPECT_EQ(next(), 103u);
}

TEST_F(SharedQueueTest, AWindowThatIsNearlySoLargeStays) {
  seen_.cwnd = 80;
  EXPECT_EQ(largest(1s), 0u);
}

TEST_F(SharedQueueTest, IsSetOncePerRoundTrip) {
  next();
  EXPECT_EQ(largest(250ms), 0u);
  EXPECT_EQ(largest(100ms), kSharedWindow);
}

TEST_F(SharedQueueTest, IsLeftToTcpDuringARecovery) {
  seen_.recovering = true;
  EXPECT_EQ(largest(1s), 0u);
}

// Twice the data that the path holds without a queue.
TEST_F(SharedQueueTest, OfBbrIsLargeEnoughForAQueueAsLongAsThePath) {
  seen_.bbr = true;
  path_.queue = 40ms;
  EXPECT_EQ(largest(1s), 0u);
  path_.queue = 50ms;
  EXPECT_EQ(largest(1s), kSharedWindow);
}

TEST_F(WindowControlTest, LeavesTheWindowForASecondAfterAFallWithAQueue) {
  seen_.srtt = 65ms;
  control_.note_fall(seen_, path_, now_);
  seen_.srtt = 40ms;
  EXPECT_EQ(largest(900ms), 0u);
  EXPECT_EQ(largest(1s), kNeededWindow);
}

// The frames waited for the window, not in the path.
TEST_F(WindowControlTest, EnlargesTheWindowAfterAFallWithoutAQueue) {
  control_.note_fall(seen_, path_, now_);
  EXPECT_EQ(next(), kNeededWindow);
}

// TCP's pacing would hide from packet trains that the path carries more.
TEST_F(WindowControlTest, LeavesRoomForTheNextStepAfterALeap) {
  path_.capacity = BitRate::mbps(2.4);
  demand_.rate = 0.9 * path_.capacity;
  EXPECT_EQ(largest(1s), 0u);
  demand_.leaps = true;
  EXPECT_EQ(next(), kNeededWindow) << "three times 2.2 Mbit/s, at most the ceiling of 6";
}

/// BBR, which stops sending after ten seconds without a lower round trip.
class BbrRenewalTest : public WindowControlTest {
 protected:
  BbrRenewalTest() {
    seen_.bbr = true;
    seen_.cwnd = 100;
    seen_.in_flight = ByteCount{20'000};
  }
  /// How often a window is set in 20 s.
  int renewals() {
    int count = 0;
    for (int i = 0; i < 606; ++i) count += next() > 0;
    return count;
  }
};

TEST_F(BbrRenewalTest, HappensBeforeTenSeconds) { EXPECT_EQ(renewals(), 2); }

TEST_F(BbrRenewalTest, LeavesTheWindowAsItIs) { EXPECT_EQ(largest(10s), seen_.cwnd); }

// BBR has stopped sending.
TEST_F(BbrRenewalTest, SetsTheWindowThatTheRateNeedsIfThatIsLarger) {
  seen_.cwnd = 4;
  EXPECT_EQ(largest(10s), kNeededWindow);
}

TEST_F(BbrRenewalTest, LeavesTheWindowWhileTheSegmentSizeIsUnknown) {
  seen_.mss = 0;
  EXPECT_EQ(largest(10s), seen_.cwnd);
}

TEST_F(BbrRenewalTest, WaitsForTheEndOfARecovery) {
  seen_.recovering = true;
  EXPECT_EQ(renewals(), 0);
}

TEST_F(BbrRenewalTest, IsNotNeededIfNothingIsInFlightBetweenFrames) {
  seen_.in_flight = {};
  EXPECT_EQ(renewals(), 0);
}

TEST_F(BbrRenewalTest, LetsBbrMeasureAPathThatHasBecomeLonger) {
  seen_.srtt = 65ms;
  EXPECT_EQ(renewals(), 0);
}

// A frame of 4 kB takes 27 ms at 1.2 Mbit/s.
TEST_F(BbrRenewalTest, AllowsForTheTimeThatAFrameTakes) {
  path_.capacity = BitRate::mbps(1.2);
  path_.frame_size = ByteCount{4'000};
  seen_.srtt += 30ms;
  EXPECT_EQ(renewals(), 2);
}

TEST_F(BbrRenewalTest, HappensNextToCrossTrafficToo) {
  seen_.srtt = 140ms;
  path_.cross_traffic = true;
  EXPECT_EQ(renewals(), 2);
}

}  // namespace
}  // namespace abr
