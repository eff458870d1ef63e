#include "abr/path/path_model.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;
using base::Duration;

constexpr std::int64_t kMss = 1448;
constexpr Duration kInterval = 33ms;
constexpr Duration kRtt = 40ms;

struct Frame {
  std::int64_t segments = 8;
  Duration late{};  ///< of the last acknowledgement
};

/// Frames over a link with nothing else on it, whose acknowledgements all come at once.
class PathModelTest : public testing::Test {
 protected:
  DeliveredFrame send(Frame frame) {
    const ByteCount size{frame.segments * kMss};
    const ByteCount head{frame.segments >= 4 ? 2 * kMss : 0};
    const auto begin = std::max(now_, link_free_);
    link_free_ = begin + size / link_;
    DeliveredFrame delivered{.departed = now_, .head = head, .size = size};
    if (head.bytes() > 0) delivered.head_acked = begin + kRtt + head / link_;
    if (delivered.head_acked) *delivered.head_acked += way_;
    delivered.acked = link_free_ + kRtt + way_ + frame.late;
    return delivered;
  }

  Observation seen() {
    return {.srtt = kRtt,
            .min_rtt = min_rtt_,
            .delivered = delivered_,
            .cwnd = 100,
            .mss = kMss,
            .pacing = pacing_,
            .served = BitRate::mbps(2),
            .frame_interval = kInterval};
  }

  /// A frame, which is observed when it has been acknowledged.
  void frame(Frame frame = {}) {
    const DeliveredFrame delivered[]{send(frame)};
    now_ += kInterval;
    delivered_ += delivered[0].size;
    auto observation = seen();
    observation.frames = delivered;
    observation.in_flight = ByteCount{(kRtt + way_) / kInterval * delivered[0].size.bytes()};
    model_.update(observation, std::max(now_, delivered[0].acked));
  }
  void frames(int count, Frame p = {}) {
    for (int i = 0; i < count; ++i) frame(p);
  }

  /// 20 kB are under way and should have come long ago; 1 Mbit/s of them do. Returns what was
  /// believed to be served.
  BitRate overdue() {
    BitRate served;
    for (int i = 0; i < 20; ++i) {
      now_ += 10ms;
      delivered_ += BitRate::mbps(1) * 10ms;
      auto observation = seen();
      observation.in_flight = ByteCount{20'000};
      model_.update(observation, now_);
      served = std::max(served, model_.state().drain_rate);
    }
    return served;
  }

  double mbps() const { return static_cast<double>(model_.state().capacity.bps()) / 1e6; }

  PathModel model_;
  BitRate link_ = BitRate::mbps(5);
  base::Time now_{1h};
  base::Time link_free_{};
  Duration way_{};  ///< more than kRtt
  Duration min_rtt_ = kRtt;
  BitRate pacing_;  ///< 0: none
  ByteCount delivered_;
};

TEST_F(PathModelTest, KnowsNothingAtFirst) {
  model_.update(seen(), now_);
  EXPECT_EQ(mbps(), 0);
  EXPECT_FALSE(model_.state().capacity_recent);
}

TEST_F(PathModelTest, TrainsTellTheCapacity) {
  frames(5);
  EXPECT_NEAR(mbps(), 5, 0.05);
  EXPECT_TRUE(model_.state().train_recent);
  EXPECT_TRUE(model_.state().trains_agree);
  EXPECT_LT(model_.state().queueing_delay, 5ms);
}

TEST_F(PathModelTest, FollowsACapacityThatFalls) {
  frames(5);
  link_ = BitRate::mbps(2);
  frames(4);
  EXPECT_NEAR(mbps(), 2, 0.1);
}

TEST_F(PathModelTest, FollowsACapacityThatReturns) {
  link_ = BitRate::mbps(1);
  frames(3, {.segments = 2});
  link_ = BitRate::mbps(8);
  now_ += 500ms;
  frames(3);
  EXPECT_NEAR(mbps(), 8, 0.4);
}

// A receiver acknowledges a lone segment with the next frame's first: not the path's doing.
TEST_F(PathModelTest, ALateLastAcknowledgementDoesNotLowerIt) {
  frames(5);
  frames(20, {.segments = 7, .late = 25ms});
  EXPECT_NEAR(mbps(), 5, 0.1);
}

TEST_F(PathModelTest, FramesThatMetALossDoNotCount) {
  frames(5);
  auto observation = seen();
  observation.retransmits = 1;
  const DeliveredFrame delivered[]{send({.late = 200ms})};
  now_ += 300ms;
  observation.frames = delivered;
  model_.update(observation, now_);
  EXPECT_NEAR(mbps(), 5, 0.05);
}

TEST_F(PathModelTest, NorDoThoseThatTheViewerHeldBack) {
  frames(5);
  for (int i = 0; i < 10; ++i) {
    auto observation = seen();
    observation.receiver_limited = true;
    const DeliveredFrame delivered[]{send({.late = 200ms})};
    now_ += 300ms;
    observation.frames = delivered;
    model_.update(observation, now_);
  }
  EXPECT_NEAR(mbps(), 5, 0.05);
  EXPECT_EQ(model_.state().drain_rate.bps(), 0);
}

TEST_F(PathModelTest, WhatPacingLetsThroughIsTheMedianOfThreeFrames) {
  for (const double rate : {16, 20}) {
    link_ = BitRate::mbps(rate);
    const DeliveredFrame delivered[]{send({})};
    now_ += kInterval;
    auto observation = seen();
    observation.pacing = BitRate::mbps(22);
    observation.frames = delivered;
    model_.update(observation, now_ + 20ms);
    EXPECT_EQ(mbps(), 0) << rate;
  }
  link_ = BitRate::mbps(18);
  const DeliveredFrame delivered[]{send({})};
  auto observation = seen();
  observation.pacing = BitRate::mbps(22);
  observation.frames = delivered;
  model_.update(observation, now_ + 50ms);
  EXPECT_NEAR(mbps(), 18, 0.5);
  EXPECT_FALSE(model_.state().train_recent);
}

TEST_F(PathModelTest, ShortFramesThatAgreeKeepItFresh) {
  link_ = BitRate::mbps(1.2);
  frames(3, {.segments = 4});
  now_ += 100ms;
  frames(60, {.segments = 3});
  EXPECT_TRUE(model_.state().capacity_recent);
  EXPECT_FALSE(model_.state().train_recent);
  EXPECT_NEAR(mbps(), 1.2, 0.1);
}

// A segment of the least round trip took little time, for the path was faster then: three passing
// so quickly tell of more than the two that come after the first.
TEST_F(PathModelTest, ShortFramesRaiseACapacityThatIsTooLow) {
  frames(8);
  overdue();
  link_ = BitRate::mbps(2);
  now_ += 500ms;
  frames(4, {.segments = 3});
  EXPECT_GT(mbps(), 1.5);
}

TEST_F(PathModelTest, ALongTrainBetweenShortFramesRaisesACapacityThatIsTooLow) {
  link_ = BitRate::kbps(800);
  frames(20, {.segments = 2});
  EXPECT_LE(mbps(), 0.85);
  link_ = BitRate::kbps(1300);
  pacing_ = BitRate::kbps(2000);  // less than twice that, but these are long
  frame({.segments = 8});         // longer than an interval: its last acknowledgement may be late
  frames(10, {.segments = 2});
  EXPECT_NEAR(mbps(), 1.3, 0.05);
}

TEST_F(PathModelTest, LongTrainsAtTcpsPaceLowerNothing) {
  frames(5);
  ASSERT_NEAR(mbps(), 5, 0.05);
  link_ = BitRate::mbps(2);  // stands for the pace, which holds the next frame back as well
  pacing_ = BitRate::mbps(2.1);
  frames(6, {.segments = 12});
  EXPECT_NEAR(mbps(), 5, 0.05);
}

// Who comes and goes leaves more room now and then: our share is no more for that.
TEST_F(PathModelTest, WhereOthersQueueALongTrainRaisesNothing) {
  link_ = BitRate::kbps(800);
  frames(20, {.segments = 2});
  link_free_ = now_ + 100ms;
  for (int i = 0; i < 15; ++i) {
    frame({.segments = 2});
    link_free_ += kInterval - ByteCount{2 * kMss} / link_;  // others fill what we leave
  }
  ASSERT_TRUE(model_.state().cross_traffic);
  const double before = mbps();
  link_ = BitRate::kbps(1300);
  pacing_ = BitRate::kbps(2000);
  frame({.segments = 8});
  frame({.segments = 2});
  EXPECT_EQ(mbps(), before);
}

TEST_F(PathModelTest, TheLeastRoundTripMayBeOfASlowPathLater) {
  frames(8);
  overdue();
  link_ = BitRate::mbps(2);
  now_ += 500ms;
  min_rtt_ += ByteCount{kMss} / link_;
  frames(4, {.segments = 3});
  EXPECT_LT(mbps(), 2.1);
}

TEST_F(PathModelTest, FramesThatPassTooQuicklyForTheCapacityDoNotBoundIt) {
  link_ = BitRate::mbps(1.2);
  frames(3, {.segments = 4});
  now_ += 500ms;
  frames(60, {.segments = 3});
  EXPECT_TRUE(model_.state().upper_bound_recent);
  link_ = BitRate::mbps(1.6);  // within what a least round trip of a full segment explains
  frames(60, {.segments = 3});
  EXPECT_TRUE(model_.state().capacity_recent);
  EXPECT_FALSE(model_.state().upper_bound_recent);
}

TEST_F(PathModelTest, WithoutFramesItIsNotFreshForLong) {
  frames(5);
  now_ += 2s;
  model_.update(seen(), now_);
  EXPECT_FALSE(model_.state().capacity_recent);
  EXPECT_NEAR(mbps(), 5, 0.05);
}

TEST_F(PathModelTest, WhatIsOverdueTellsWhatIsServed) {
  frames(5);
  EXPECT_GT(overdue().bps(), 0);
  EXPECT_NEAR(mbps(), 1, 0.2) << "no frame tells of it, what is served does";
}

TEST_F(PathModelTest, TrainsOfBeforeThatAreForgotten) {
  frames(8);
  overdue();
  EXPECT_FALSE(model_.state().trains_agree) << "there is none that could agree";
  link_ = BitRate::mbps(1);
  now_ += 500ms;
  frames(2);
  EXPECT_NEAR(mbps(), 1, 0.2);
}

TEST_F(PathModelTest, BacklogIsWhatWaitsBeyondThePipeAndTheFrame) {
  frames(5, {.segments = 8});
  auto observation = seen();
  const auto pipe = BitRate::mbps(5) * kRtt;
  observation.in_flight = pipe + ByteCount{8 * kMss};
  model_.update(observation, now_);
  EXPECT_LT(model_.state().backlog.bytes(), 1000);
  observation.notsent = ByteCount{10'000};
  model_.update(observation, now_);
  EXPECT_NEAR(static_cast<double>(model_.state().backlog.bytes()), 10'000, 1000);
  observation.padding = ByteCount{10'000};
  model_.update(observation, now_);
  EXPECT_LT(model_.state().backlog.bytes(), 1000) << "what was added on purpose";
}

// Too short for trains, they neither fit what the trains promised nor show anything like it now.
TEST_F(PathModelTest, SmallFramesOnASlowerLinkAreNoTokenBucket) {
  frames(5, {.segments = 8});
  link_ = BitRate::mbps(1);
  for (int i = 0; i < 6; ++i) {
    frames(10, {.segments = 2});
    frames(5, {.segments = 3});
    EXPECT_EQ(model_.state().policer_rate.bps(), 0) << i;
  }
}

TEST_F(PathModelTest, WhatIsLostAndNotSentAgainWaits) {
  frames(5, {.segments = 8});
  auto observation = seen();
  observation.in_flight = BitRate::mbps(5) * kRtt;
  observation.lost = ByteCount{8 * kMss + 10'000};
  model_.update(observation, now_);
  EXPECT_NEAR(static_cast<double>(model_.state().backlog.bytes()), 10'000, 1000);
}

TEST_F(PathModelTest, AFrameOfAHigherRateIsNoBacklog) {
  frames(5, {.segments = 8});
  auto observation = seen();
  observation.served = BitRate::mbps(4.8);
  const auto next = observation.served * kInterval;
  observation.in_flight = BitRate::mbps(5) * kRtt + next;
  model_.update(observation, now_);
  EXPECT_LT(model_.state().backlog.bytes(), kMss);
}

TEST_F(PathModelTest, AFullWindowIsAnAllowance) {
  frames(5);
  auto observation = seen();
  observation.cwnd = 10;
  model_.update(observation, now_);
  EXPECT_EQ(model_.state().cwnd_rate.bps(), 0);
  observation.notsent = ByteCount{50'000};
  model_.update(observation, now_);
  const auto window = BitRate::of(ByteCount{10 * kMss}, kRtt);
  EXPECT_GT(model_.state().cwnd_rate.bps(), 0);
  EXPECT_LE(model_.state().cwnd_rate, window);
}

// The kernel's least round trip is of the last five minutes.
TEST_F(PathModelTest, ALongerWayIsNotAQueue) {
  frames(30, {.segments = 5});
  way_ = 50ms;
  frames(30, {.segments = 5});
  EXPECT_GT(model_.state().queueing_delay, 40ms) << "who knows?";
  frames(60, {.segments = 5});
  EXPECT_LT(model_.state().queueing_delay, 5ms);
  EXPECT_FALSE(model_.state().cross_traffic);
}

// What others put between our packets has drawn the only trains out.
TEST_F(PathModelTest, WhatArrivedForLongIsABound) {
  link_ = BitRate::mbps(0.5);
  frames(3, {.segments = 4});
  now_ += 500ms;
  link_ = BitRate::mbps(5);
  link_free_ = {};
  way_ = 60ms;
  frames(100, {.segments = 3});
  EXPECT_GT(mbps(), 1) << "1.05 Mbit/s arrive";
}

TEST_F(PathModelTest, ACapacityThatNoFrameAgreesWithExplainsNoQueue) {
  frames(5);
  link_ = BitRate::mbps(0.22);
  for (int i = 0; i < 3; ++i) {
    frame({.segments = 4});
    now_ += 1100ms;
  }
  EXPECT_LT(mbps(), 0.3);
  link_ = BitRate::mbps(5);
  way_ = 45ms;
  frames(40, {.segments = 1});
  EXPECT_FALSE(model_.state().cross_traffic);
  frames(60, {.segments = 1});
  EXPECT_TRUE(model_.state().cross_traffic);
}

TEST_F(PathModelTest, AWayThatIsShorterAgainIsSeenOnceForEachFrame) {
  way_ = 50ms;
  frames(100, {.segments = 5});
  const auto longer = model_.state().round_trip;
  ASSERT_GT(longer, kRtt + 45ms);
  way_ = 30ms;
  const DeliveredFrame first = send({.segments = 5});
  now_ += kInterval;
  const DeliveredFrame both[]{first, send({.segments = 5})};
  auto observation = seen();
  observation.frames = both;
  model_.update(observation, both[1].acked);
  EXPECT_NEAR(base::seconds(longer - model_.state().round_trip), 0.02, 0.004);
}

// telemetry.ack_timestamps_per_second may leave most frames out.
TEST_F(PathModelTest, AQueueOfOurOwnIsOursWhereFewFramesAreLookedAt) {
  frames(5);
  const Duration queue = 120ms;
  for (int i = 0; i < 200; ++i, now_ += kInterval) {
    auto observation = seen();
    observation.delivered = delivered_ += link_ * kInterval;
    observation.in_flight = link_ * (kRtt + queue);
    const ByteCount half{2 * kMss};
    const DeliveredFrame fourth[]{{.departed = now_ - kRtt - queue - half / link_,
                                   .head_acked = now_ - half / link_,
                                   .acked = now_,
                                   .head = half,
                                   .size = half + half}};
    if (i % 4 == 0) observation.frames = fourth;
    model_.update(observation, now_);
    ASSERT_FALSE(model_.state().cross_traffic) << i;
  }
}

// Others draw trains out, so that what waits looks ours; but then the path would have passed it.
TEST_F(PathModelTest, AQueueThatOutlastsOurOwnIsShared) {
  link_ = BitRate::mbps(2);
  frames(5, {.segments = 5});
  const auto standing = [&](int count) {
    const Duration queue = 45ms;
    const ByteCount size{5 * kMss};
    const ByteCount head{2 * kMss};
    for (int i = 0; i < count; ++i) {
      now_ += kInterval;
      const DeliveredFrame delivered[]{{.departed = now_ - kRtt - queue - size / link_,
                                        .head_acked = now_ - (size - head) / link_,
                                        .acked = now_,
                                        .head = head,
                                        .size = size}};
      auto observation = seen();
      observation.delivered = delivered_ += size;
      observation.in_flight = size + size + size;
      observation.frames = delivered;
      model_.update(observation, now_);
    }
  };
  standing(15);
  EXPECT_FALSE(model_.state().cross_traffic);
  standing(20);
  EXPECT_TRUE(model_.state().cross_traffic);
}

TEST_F(PathModelTest, AQueueThatOthersKeepFilledIsShared) {
  frames(5);
  link_free_ = now_ + 100ms;
  for (int i = 0; i < 15; ++i) {
    frame();
    link_free_ += kInterval - ByteCount{8 * kMss} / link_;  // others fill what we leave
  }
  EXPECT_TRUE(model_.state().cross_traffic);
}

}  // namespace
}  // namespace abr
