#include "abr/transport.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using base::BitRate;

// 32, 48 and 128 kbit/s of audio.
constexpr Transport kTransport{
    .factor = 1.02,
    .fixed = BitRate::kbps(60),
    .more = {{{BitRate::kbps(240), BitRate::kbps(20)}, {BitRate::kbps(640), BitRate::kbps(90)}}}};

TEST(TransportTest, AddsWhatEachStepAdds) {
  EXPECT_EQ(kTransport.wire(BitRate::kbps(100)), BitRate::kbps(162));
  EXPECT_EQ(kTransport.wire(BitRate::kbps(300)), BitRate::kbps(386));
  EXPECT_EQ(kTransport.wire(BitRate::mbps(1)), BitRate::kbps(1190));
}

TEST(TransportTest, FindsTheVideoThatFits) {
  for (int kbps = 0; kbps < 3000; ++kbps) {
    const auto wire = BitRate::kbps(kbps);
    const auto video = kTransport.video(wire);
    if (video.bps() > 0) {
      EXPECT_LE(kTransport.wire(video), wire + BitRate{1}) << kbps;
    }
    EXPECT_GT(kTransport.wire(video + BitRate{10}), wire) << kbps;
  }
}

TEST(TransportTest, AudioTakesTheRateBetweenTwoSteps) {
  const auto before = BitRate::kbps(640) - BitRate{1};
  EXPECT_EQ(kTransport.video(kTransport.wire(before) + BitRate::kbps(50)), before);
}

TEST(TransportTest, NothingFitsBesideMoreAudioThanThereIsRoomFor) {
  EXPECT_EQ(kTransport.video(BitRate::kbps(59)), BitRate{});
}

TEST(TransportTest, AFixedOverheadIsAnOffset) {
  constexpr Transport fixed{.factor = 2, .fixed = BitRate::kbps(100)};
  EXPECT_EQ(fixed.wire(BitRate::kbps(200)), BitRate::kbps(500));
  EXPECT_EQ(fixed.video(BitRate::kbps(500)), BitRate::kbps(200));
  EXPECT_EQ(fixed.video(BitRate::kbps(50)), BitRate{});
}

}  // namespace
}  // namespace abr
