#include "app/viewer/observer.h"

#include <gtest/gtest.h>

#include <vector>

namespace app {
namespace {

using namespace std::chrono_literals;
using base::ByteCount;
using tcpinfo::EventKind;

class ObserverTest : public testing::Test {
 protected:
  abr::Observation observe(std::vector<tcpinfo::CongestionEvent> events = {}) {
    return observer_.observe(events, tcp_, sample_, viewer_);
  }
  bool deliver(media::Pts pts, FrameDelivery::Source source = FrameDelivery::Source::kTimestamp) {
    const server::SentFrame frame{
        .pts = pts, .begin = 1000, .end_offset = 9000, .marked_end = 9100};
    return observer_.frame_delivered(frame, {.at = base::Time{2h}, .source = source});
  }
  /// `count` frames, each `apart` after the last.
  void deliver(int count, base::Duration apart) {
    for (int i = 0; i < count; ++i) deliver(pts_ += apart);
  }
  /// Takes a sample `time` after the last one; the receive window was closed for `held` of it.
  bool receiver_limited_after(base::Duration time, base::Duration held) {
    sample_.at += time;
    sample_.receiver_limited += held;
    return observe().receiver_limited;
  }

  Observer observer_{{.enabled = false}, media::Container::kMpegTs};
  Observer::Tcp tcp_;
  tcpinfo::TcpSample sample_{.at = base::Time{1h}, .mss = 1000, .cwnd = 20, .ssthresh = 10};
  server::ViewerState viewer_;
  media::Pts pts_{1s};
};

TEST_F(ObserverTest, TellsOfViewersAtTheSameAddress) {
  tcp_.neighbours = 2;
  EXPECT_EQ(observe().neighbours, 2U);
}

TEST_F(ObserverTest, CountsTheEvents) {
  const auto seen = observe(
      {{.kind = EventKind::kDupack}, {.kind = EventKind::kRexmt}, {.kind = EventKind::kDupack}});
  EXPECT_EQ(seen.dupack, 2u);
  EXPECT_EQ(seen.rexmt, 1u);
}

TEST_F(ObserverTest, InFlightExcludesArrivedLostAndUnsentBytes) {
  viewer_.sent = ByteCount{50'000};
  sample_.notsent = ByteCount{5'000};
  sample_.bytes_acked = 20'000;
  EXPECT_EQ(observe().in_flight, ByteCount{25'000});
  sample_.sacked = 4;
  sample_.lost = 3;
  sample_.retransmitted = 1;
  EXPECT_EQ(observe().in_flight, ByteCount{19'000});
}

TEST_F(ObserverTest, LostExcludesRetransmittedSegments) {
  sample_.lost = 3;
  sample_.retransmitted = 1;
  EXPECT_EQ(observe().lost, ByteCount{2'000});
  sample_.retransmitted = 4;  // one of them by a tail loss probe
  EXPECT_EQ(observe().lost, ByteCount{});
}

TEST_F(ObserverTest, DeliveredIncludesSackedSegments) {
  sample_.bytes_acked = 20'000;
  sample_.sacked = 4;
  EXPECT_EQ(observe().delivered, ByteCount{24'000});
}

TEST_F(ObserverTest, BbrHasNoSsthresh) {
  EXPECT_EQ(observe().ssthresh, 10u);
  tcp_.bbr = true;
  EXPECT_FALSE(observe().ssthresh);
}

TEST_F(ObserverTest, IgnoresAPacingRateThatTcpDoesNotApply) {
  sample_.pacing = base::BitRate::mbps(5);
  EXPECT_EQ(observe().pacing, base::BitRate{});
  tcp_.paced = true;
  EXPECT_EQ(observe().pacing, base::BitRate::mbps(5));
}

TEST_F(ObserverTest, EachDeliveredFrameIsObservedOnce) {
  deliver(1s);
  deliver(2s);
  const auto seen = observe();
  ASSERT_EQ(seen.frames.size(), 2u);
  EXPECT_EQ(seen.frames[0].size, ByteCount{8100});
  EXPECT_TRUE(observe().frames.empty());
}

TEST_F(ObserverTest, FramesWithoutATimestampAreNotObserved) {
  deliver(1s, FrameDelivery::Source::kTcpInfo);
  EXPECT_TRUE(observe().frames.empty());
}

TEST_F(ObserverTest, KeepsTheNewest64FramesForALateObservation) {
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(deliver(pts_ += 33ms));
  EXPECT_FALSE(deliver(pts_ += 33ms));
  EXPECT_EQ(observe().frames.size(), 64u);
}

TEST_F(ObserverTest, TheFrameIntervalIs33MillisecondsAtFirst) {
  EXPECT_EQ(observer_.frame_interval(), 33ms);
}

TEST_F(ObserverTest, TheFrameIntervalFollowsAFrameRateThatStays) {
  deliver(5, 40ms);
  EXPECT_EQ(observer_.frame_interval(), 40ms);
  deliver(2, 80ms);
  EXPECT_EQ(observer_.frame_interval(), 40ms) << "it may be a gap";
  deliver(2, 80ms);
  EXPECT_EQ(observer_.frame_interval(), 80ms);
}

TEST_F(ObserverTest, AGapDoesNotChangeTheFrameInterval) {
  deliver(5, 40ms);
  deliver(1, 600ms);
  EXPECT_EQ(observer_.frame_interval(), 40ms);
}

TEST_F(ObserverTest, TheFrameIntervalIsWithin8And200Milliseconds) {
  deliver(5, 1ms);
  EXPECT_EQ(observer_.frame_interval(), 8ms);
  deliver(5, 2s);
  EXPECT_EQ(observer_.frame_interval(), 200ms);
}

TEST_F(ObserverTest, PaddingIsInFlightUntilItIsAcknowledged) {
  viewer_.sent = ByteCount{10'000};
  sample_.bytes_acked = 9'000;
  EXPECT_EQ(observe().padding.bytes(), 0);
  viewer_.padding = ByteCount{4'000};
  viewer_.sent = ByteCount{16'000};
  for (const std::uint64_t acked : {10'000, 15'999}) {
    sample_.bytes_acked = acked;
    EXPECT_EQ(observe().padding.bytes(), 4'000);
  }
  sample_.bytes_acked = 16'000;
  EXPECT_EQ(observe().padding.bytes(), 0);
}

TEST_F(ObserverTest, PaddingThatTheKernelHasNotTakenIsCountedToo) {
  viewer_.padding = ByteCount{4'000};
  viewer_.sent = ByteCount{10'000};
  viewer_.queued = ByteCount{5'000};
  sample_.bytes_acked = 10'000;
  EXPECT_EQ(observe().padding.bytes(), 4'000);
  viewer_.sent = ByteCount{15'000};
  viewer_.queued = {};
  sample_.bytes_acked = 15'000;
  EXPECT_EQ(observe().padding.bytes(), 0);
}

TEST_F(ObserverTest, IgnoresReceiverLimitsBeforeTheFirstSample) {
  sample_.receiver_limited = 5s;
  EXPECT_FALSE(receiver_limited_after(0ms, 0ms));
}

TEST_F(ObserverTest, AViewerThatRarelyReadsIsReceiverLimited) {
  receiver_limited_after(0ms, 0ms);
  EXPECT_FALSE(receiver_limited_after(33ms, 10ms));
  EXPECT_TRUE(receiver_limited_after(33ms, 30ms));
  EXPECT_TRUE(receiver_limited_after(150ms, 120ms));
  EXPECT_FALSE(receiver_limited_after(150ms, 40ms)) << "they read most of the time";
}

// One sample before a frame and one when it is acknowledged; a jiffy is 4 ms.
TEST_F(ObserverTest, SamplesCloseTogetherKeepTheReceiverLimit) {
  receiver_limited_after(0ms, 0ms);
  EXPECT_TRUE(receiver_limited_after(33ms, 33ms));
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(receiver_limited_after(10ms, 8ms));
    EXPECT_TRUE(receiver_limited_after(2ms, 0ms));
    EXPECT_TRUE(receiver_limited_after(21ms, 24ms));
  }
}

}  // namespace
}  // namespace app
