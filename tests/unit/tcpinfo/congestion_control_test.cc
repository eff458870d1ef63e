#include "tcpinfo/congestion_control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bpf/video_rate.h"

namespace tcpinfo {
namespace {

using namespace std::chrono_literals;

TEST(CongestionControlTest, LossBasedOnesUseSsthresh) {
  for (const auto* name : {"reno", "cubic", "htcp", "sym_vreno", "sym_libra", "sym_ccplss"}) {
    EXPECT_TRUE(uses_ssthresh(name)) << name;
  }
}

TEST(CongestionControlTest, DelayBasedOnesDoNotUseSsthresh) {
  for (const auto* name : {"bbr", "vegas", "dctcp", "sym_ccp", "sym_ccpvs", ""}) {
    EXPECT_FALSE(uses_ssthresh(name)) << name;
  }
}

TEST(CongestionControlTest, SsthreshCarriesTheVideosRate) {
  // 5 Mbit/s * 50 ms / 1448 bytes = 21.58
  EXPECT_EQ(video_rate_ssthresh(base::BitRate::mbps(5), 50ms, 1448), 22u);
  EXPECT_EQ(video_rate_ssthresh(base::BitRate::mbps(5), 100ms, 1448), 44u);
}

TEST(CongestionControlTest, SsthreshIsAtLeastFourSegments) {
  EXPECT_EQ(video_rate_ssthresh(base::BitRate{}, 100ms, 1448), 4u);
  EXPECT_EQ(video_rate_ssthresh(base::BitRate::kbps(300), 20ms, 1448), 4u);
}

TEST(CongestionControlTest, RttIsClampedTo20To500Ms) {
  const auto rate = base::BitRate::mbps(20);
  EXPECT_EQ(video_rate_ssthresh(rate, 1ms, 1448), video_rate_ssthresh(rate, 20ms, 1448));
  EXPECT_EQ(video_rate_ssthresh(rate, 2s, 1448), video_rate_ssthresh(rate, 500ms, 1448));
}

TEST(VideoRateTest, WindowMatchesTheFormula) {
  for (std::uint64_t rate = 1; rate <= VIDEO_RATE_MAX_RATE; rate = rate * 5 + 3) {
    for (std::uint32_t rtt_us = 1; rtt_us <= VIDEO_RATE_MAX_RTT_US; rtt_us = rtt_us * 6 + 1) {
      for (const std::uint32_t mss : {48u, 536u, 1448u, 65'483u}) {
        const auto product = static_cast<__uint128_t>(rate) * rtt_us / 1'000'000 / mss + 1;
        EXPECT_EQ(video_rate_window(rate, rtt_us, mss), std::max<__uint128_t>(product, 4))
            << rate << ' ' << rtt_us << ' ' << mss;
      }
    }
  }
}

TEST(VideoRateTest, WindowCapsLargeArguments) {
  EXPECT_EQ(video_rate_window(~0ull, ~0u, 0),
            video_rate_window(VIDEO_RATE_MAX_RATE, VIDEO_RATE_MAX_RTT_US, VIDEO_RATE_MIN_MSS));
}

TEST(CongestionControlTest, RecognizesBbrOfAnyVersion) {
  EXPECT_TRUE(is_bbr("bbr"));
  EXPECT_TRUE(is_bbr("bbr3"));
  EXPECT_FALSE(is_bbr("cubic"));
}

}  // namespace
}  // namespace tcpinfo
