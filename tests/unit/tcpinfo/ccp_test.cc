#include "bpf/ccp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

TEST(CcpTest, BacklogIsTheQueuedPartOfTheWindow) {
  for (std::uint64_t window = 1; window <= 1u << 30; window *= 7) {
    for (const std::uint32_t min : {100u, 3000u, 100'000u, 4'000'000'000u}) {
      for (const double stretch : {1.0, 1.001, 1.5, 20.0}) {
        const auto rtt = static_cast<std::uint32_t>(std::min(min * stretch, 4'294'967'295.));
        const double exact = static_cast<double>(window) * (rtt - min) / rtt;
        EXPECT_NEAR(ccp_backlog(static_cast<std::uint32_t>(window), rtt, min), exact, 1);
      }
    }
  }
}

TEST(CcpTest, BacklogIsZeroAtTheMinimumRtt) { EXPECT_EQ(ccp_backlog(100, 50'000, 60'000), 0u); }

TEST(CcpTest, StorageIsThreePipesAndTwoQueues) {
  for (double capacity = 10'000; capacity < 1.7e10; capacity *= 3.1) {
    for (const std::uint32_t min : {500u, 3000u, 200'000u, 8'000'000u}) {
      for (const std::uint32_t queueing : {0u, 1000u, 300'000u}) {
        for (const std::uint32_t mss : {48u, 536u, 1448u, 65'000u}) {
          const double exact = std::floor(capacity) * (3. * min + 2. * queueing) / 1e6 / mss;
          const auto got =
              ccp_storage(static_cast<std::uint64_t>(capacity), min, min + queueing, mss);
          EXPECT_NEAR(got, std::min(exact, 1. * CCP_MAX_SEGMENTS), 2)
              << capacity << ' ' << min << ' ' << queueing << ' ' << mss;
        }
      }
    }
  }
}

TEST(CcpTest, StorageCapsLargeArguments) {
  EXPECT_EQ(ccp_storage(~0ull, ~0u, ~0u, 0), CCP_MAX_SEGMENTS);
  EXPECT_EQ(ccp_storage(1'000'000, 100'000, 50'000, 1000), 300u);  // longest below least
}

TEST(CcpTest, WindowIsEquation1) {
  EXPECT_EQ(ccp_window(400, 37, 120, 0, 0), (400u - 37 - 120) / 2);
  for (std::int64_t b = 0; b <= 1 << 30; b = b * 9 + 5) {
    for (std::int64_t x = 0; x <= 1 << 30; x = x * 11 + 3) {
      for (const std::uint32_t f : {0u, 50u, 100'000u, 1u << 30}) {
        const double exact = (static_cast<double>(b - x) - f) / 2;
        EXPECT_NEAR(
            ccp_window(static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(x), f, 0, 0),
            std::max(exact, 1. * CCP_MIN_WINDOW), 1);
      }
    }
  }
}

TEST(CcpTest, AGrowingBacklogShrinksTheWindowOfCcpd) {
  EXPECT_EQ(ccp_window(400, 40, 100, CCP_KD, 40), 130u);
  EXPECT_EQ(ccp_window(400, 40, 100, CCP_KD, 0), 125u);   // 1/4 of 40, halved
  EXPECT_EQ(ccp_window(400, 40, 100, CCP_KD, 80), 135u);  // it shrinks
}

TEST(CcpTest, HugeArgumentsDoNotWrap) {
  EXPECT_EQ(ccp_window(0, ~0u, ~0u, CCP_KD, 0), CCP_MIN_WINDOW);
  EXPECT_GT(ccp_window(~0u, 0, 0, CCP_KD, ~0u), 1u << 29);
}

/// A path with a base RTT of 100 ms and 1 ms per segment in its bottleneck.
struct Path {
  double pipe = 100;  // segments
  double queue = 60;  // segments
  double rtt(double window) const { return 100'000 * std::max(1.0, window / pipe); }
};

TEST(CcpTest, SettlesWithAFullPipeAndAHalfFullQueue) {
  const Path path;
  const auto storage = ccp_storage(1'000'000, 100'000, 160'000, 1000);
  for (const std::uint32_t kd : {0, CCP_KD}) {
    std::uint32_t window = 10, backlog = 0;
    for (int round = 0; round < 30; ++round) {
      const auto rtt = static_cast<std::uint32_t>(path.rtt(window));
      const auto last = backlog;
      backlog = ccp_backlog(window, rtt, 100'000);
      // Within a round trip the segments in flight follow the window with each acknowledgement.
      for (int ack = 0; ack < 20; ++ack) window = ccp_window(storage, backlog, window, kd, last);
    }
    EXPECT_NEAR(window, path.pipe + path.queue / 2, 3) << kd;
  }
}

}  // namespace
