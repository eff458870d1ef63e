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
  Duration late{};  ///< delay of the last ACK
};

/// Frames over a link that carries nothing else. ACKs are not delayed.
class PathModelTest : public testing::Test {
 protected:
  DeliveredFrame send(Frame frame) {
    const ByteCount size{frame.segments * kMss};
    const ByteCount head{frame.segments >= 4 ? 2 * kMss : 0};
    const auto begin = std::max(now_, link_free_);
    link_free_ = begin + size / link_;
    end_ += size;
    DeliveredFrame delivered{.departed = now_, .head = head, .size = size, .end = end_};
    if (head.bytes() > 0) delivered.head_acked = begin + kRtt + head / link_;
    if (delivered.head_acked) *delivered.head_acked += rtt_shift_;
    delivered.acked = link_free_ + kRtt + rtt_shift_ + frame.late;
    return delivered;
  }

  Observation seen() {
    return {.srtt = kRtt,
            .min_rtt = min_rtt_,
            .delivered = delivered_,
            .cwnd = 100,
            .mss = mss_,
            .pacing = pacing_,
            .served = BitRate::mbps(2),
            .frame_interval = kInterval};
  }

  /// Sends a frame, and observes it when it has been acknowledged.
  void frame(Frame frame = {}) {
    const DeliveredFrame delivered[]{send(frame)};
    now_ += kInterval;
    delivered_ += delivered[0].size;
    auto observation = seen();
    observation.frames = delivered;
    observation.in_flight = ByteCount{(kRtt + rtt_shift_) / kInterval * delivered[0].size.bytes()};
    model_.update(observation, std::max(now_, delivered[0].acked));
  }
  void frames(int count, Frame p = {}) {
    for (int i = 0; i < count; ++i) frame(p);
  }
  /// TCP's minimum RTT is that of an earlier, shorter path, so that short frames seem to take long,
  /// and agree with a low capacity. Only the trains that padding makes show more.
  void begin_with_the_minimum_of_a_shorter_path() {
    link_ = BitRate::mbps(18);
    pacing_ = BitRate::mbps(22);
    min_rtt_ = 1ms;
    frames(20, {.segments = 2});
  }

  /// 20 kB are overdue and arrive at 1 Mbit/s. Returns the highest drain rate.
  BitRate overdue() {
    BitRate highest;
    for (int i = 0; i < 20; ++i) {
      now_ += 10ms;
      delivered_ += BitRate::mbps(1) * 10ms;
      auto observation = seen();
      observation.in_flight = ByteCount{20'000};
      model_.update(observation, now_);
      highest = std::max(highest, model_.state().drain_rate);
    }
    return highest;
  }

  double mbps() const { return static_cast<double>(model_.state().capacity.bps()) / 1e6; }

  PathModel model_;
  BitRate link_ = BitRate::mbps(5);
  base::Time now_{1h};
  base::Time link_free_{};
  Duration rtt_shift_{};  ///< RTT of the path beyond kRtt
  Duration min_rtt_ = kRtt;
  BitRate pacing_;  ///< 0 means no pacing
  std::uint32_t mss_ = kMss;
  ByteCount delivered_;
  ByteCount end_;  ///< of the newest frame in the stream
};

TEST_F(PathModelTest, KnowsNothingAtFirst) {
  model_.update(seen(), now_);
  EXPECT_EQ(mbps(), 0);
  EXPECT_FALSE(model_.state().capacity_recent);
}

TEST_F(PathModelTest, TrainsShowTheCapacity) {
  frames(5);
  EXPECT_NEAR(mbps(), 5, 0.05);
  EXPECT_TRUE(model_.state().train_recent);
  EXPECT_TRUE(model_.state().trains_agree);
  EXPECT_LT(model_.state().queueing_delay, 5ms);
}

// The heads on their way have two of the old segments (RFC 4821: a path's MTU may prove larger).
TEST_F(PathModelTest, SegmentsThatBecomeLongerAreNoQueue) {
  frames(5);
  mss_ = 8948;
  frames(3);
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

// A receiver may acknowledge a lone segment only with the next frame's first one.
TEST_F(PathModelTest, ALateLastAckDoesNotLowerTheCapacity) {
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

TEST_F(PathModelTest, FramesThatTheViewerHeldBackDoNotCount) {
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

TEST_F(PathModelTest, PacedFramesRaiseTheCapacityToTheMedianOfThree) {
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

TEST_F(PathModelTest, ShortFramesThatAgreeKeepTheCapacityRecent) {
  link_ = BitRate::mbps(1.2);
  frames(3, {.segments = 4});
  now_ += 100ms;
  frames(60, {.segments = 3});
  EXPECT_TRUE(model_.state().capacity_recent);
  EXPECT_FALSE(model_.state().train_recent);
  EXPECT_NEAR(mbps(), 1.2, 0.1);
}

// The segment of the minimum RTT took little time, because the path was faster then. So the time of
// three segments includes nearly all of the first one's.
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
  pacing_ = BitRate::kbps(2000);  // less than twice the link's rate, but the trains are long
  frame({.segments = 8});         // longer than an interval: its last ACK may be late
  frames(10, {.segments = 2});
  EXPECT_NEAR(mbps(), 1.3, 0.05);
}

TEST_F(PathModelTest, PacedTrainsBetweenShortFramesRaiseACapacityThatIsTooLow) {
  begin_with_the_minimum_of_a_shorter_path();
  EXPECT_LT(mbps(), 1);
  frame({.segments = 8});
  frames(20, {.segments = 2});
  EXPECT_LT(mbps(), 1) << "its acknowledgements may have been bunched";
  frame({.segments = 8});
  EXPECT_NEAR(mbps(), 18, 0.5);
}

TEST_F(PathModelTest, PacedTrainsThatAreFarApartDoNotRaiseTheCapacity) {
  begin_with_the_minimum_of_a_shorter_path();
  frame({.segments = 8});
  frames(310, {.segments = 2});
  frame({.segments = 8});
  EXPECT_LT(mbps(), 1);
}

TEST_F(PathModelTest, LongPacedTrainsDoNotLowerTheCapacity) {
  frames(5);
  ASSERT_NEAR(mbps(), 5, 0.05);
  link_ = BitRate::mbps(2);  // stands for the pacing, which holds the next frame back too
  pacing_ = BitRate::mbps(2.1);
  frames(6, {.segments = 12});
  EXPECT_NEAR(mbps(), 5, 0.05);
}

// Cross traffic leaves more room now and then, which is not our share.
TEST_F(PathModelTest, LongTrainsDoNotRaiseTheCapacityNextToCrossTraffic) {
  link_ = BitRate::kbps(800);
  frames(20, {.segments = 2});
  link_free_ = now_ + 100ms;
  for (int i = 0; i < 15; ++i) {
    frame({.segments = 2});
    link_free_ += kInterval - ByteCount{2 * kMss} / link_;  // others use the rest of the link
  }
  ASSERT_TRUE(model_.state().cross_traffic);
  const double before = mbps();
  link_ = BitRate::kbps(1300);
  pacing_ = BitRate::kbps(2000);
  frame({.segments = 8});
  frame({.segments = 2});
  EXPECT_EQ(mbps(), before);
}

TEST_F(PathModelTest, ShortFramesDoNotRaiseTheCapacityIfTheMinimumRttIsOfASlowPath) {
  frames(8);
  overdue();
  link_ = BitRate::mbps(2);
  now_ += 500ms;
  min_rtt_ += ByteCount{kMss} / link_;
  frames(4, {.segments = 3});
  EXPECT_LT(mbps(), 2.1);
}

TEST_F(PathModelTest, FramesThatPassTooQuicklyDoNotBoundTheCapacity) {
  link_ = BitRate::mbps(1.2);
  frames(3, {.segments = 4});
  now_ += 500ms;
  frames(60, {.segments = 3});
  EXPECT_TRUE(model_.state().upper_bound_recent);
  link_ = BitRate::mbps(1.6);  // a minimum RTT of a full segment would explain this
  frames(60, {.segments = 3});
  EXPECT_TRUE(model_.state().capacity_recent);
  EXPECT_FALSE(model_.state().upper_bound_recent);
}

TEST_F(PathModelTest, WithoutFramesTheCapacityIsNotRecentForLong) {
  frames(5);
  now_ += 2s;
  model_.update(seen(), now_);
  EXPECT_FALSE(model_.state().capacity_recent);
  EXPECT_NEAR(mbps(), 5, 0.05);
}

TEST_F(PathModelTest, OverdueDataShowsTheDrainRate) {
  frames(5);
  EXPECT_GT(overdue().bps(), 0);
  EXPECT_NEAR(mbps(), 1, 0.2) << "no frame shows it, but the drain rate does";
}

TEST_F(PathModelTest, TrainsBeforeOverdueDataAreForgotten) {
  frames(8);
  overdue();
  EXPECT_FALSE(model_.state().trains_agree) << "no train is left that could agree";
  link_ = BitRate::mbps(1);
  now_ += 500ms;
  frames(2);
  EXPECT_NEAR(mbps(), 1, 0.2);
}

TEST_F(PathModelTest, TheBacklogExcludesAFullPipeAndTheNewestFrame) {
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
  EXPECT_LT(model_.state().backlog.bytes(), 1000) << "padding was added on purpose";
}

// Too short for trains, these frames neither fit the capacity of the earlier trains nor confirm it.
TEST_F(PathModelTest, SmallFramesOnASlowerLinkDoNotLookLikeATokenBucket) {
  frames(5, {.segments = 8});
  link_ = BitRate::mbps(1);
  for (int i = 0; i < 6; ++i) {
    frames(10, {.segments = 2});
    frames(5, {.segments = 3});
    EXPECT_EQ(model_.state().policer_rate.bps(), 0) << i;
  }
}

TEST_F(PathModelTest, LostDataThatIsNotRetransmittedIsBacklog) {
  frames(5, {.segments = 8});
  auto observation = seen();
  observation.in_flight = BitRate::mbps(5) * kRtt;
  observation.lost = ByteCount{8 * kMss + 10'000};
  model_.update(observation, now_);
  EXPECT_NEAR(static_cast<double>(model_.state().backlog.bytes()), 10'000, 1000);
}

TEST_F(PathModelTest, AFrameOfAHigherRateIsNotBacklog) {
  frames(5, {.segments = 8});
  auto observation = seen();
  observation.served = BitRate::mbps(4.8);
  const auto next = observation.served * kInterval;
  observation.in_flight = BitRate::mbps(5) * kRtt + next;
  model_.update(observation, now_);
  EXPECT_LT(model_.state().backlog.bytes(), kMss);
}

TEST_F(PathModelTest, AFullWindowLimitsTheRate) {
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

TEST_F(PathModelTest, AWriteOfSeveralFramesIsNeitherBacklogNorHeldBack) {
  frames(5);
  auto observation = seen();
  observation.cwnd = 100;
  observation.in_flight = BitRate::mbps(5) * kRtt;
  observation.notsent = observation.served * (3 * kInterval);
  observation.frames_per_write = 3;
  model_.update(observation, now_);
  EXPECT_EQ(model_.state().cwnd_rate.bps(), 0);
  EXPECT_EQ(model_.state().backlog.bytes(), 0);
  observation.frames_per_write = 1;
  model_.update(observation, now_);
  EXPECT_GT(model_.state().cwnd_rate.bps(), 0);
  EXPECT_GT(model_.state().backlog.bytes(), 0);
}

// The kernel's minimum RTT covers the last five minutes.
TEST_F(PathModelTest, ALongerPathIsNotAQueue) {
  frames(30, {.segments = 5});
  rtt_shift_ = 50ms;
  frames(30, {.segments = 5});
  EXPECT_GT(model_.state().queueing_delay, 40ms) << "too soon to tell";
  frames(60, {.segments = 5});
  EXPECT_LT(model_.state().queueing_delay, 5ms);
  EXPECT_FALSE(model_.state().cross_traffic);
}

// Cross traffic has stretched the only trains.
TEST_F(PathModelTest, LongTermDeliveryRaisesTheCapacity) {
  link_ = BitRate::mbps(0.5);
  frames(3, {.segments = 4});
  now_ += 500ms;
  link_ = BitRate::mbps(5);
  link_free_ = {};
  rtt_shift_ = 60ms;
  frames(100, {.segments = 3});
  EXPECT_GT(mbps(), 1) << "1.05 Mbit/s arrive";
}

TEST_F(PathModelTest, ADoubtfulCapacityDoesNotExplainAQueue) {
  frames(5);
  link_ = BitRate::mbps(0.22);
  for (int i = 0; i < 3; ++i) {
    frame({.segments = 4});
    now_ += 1100ms;
  }
  EXPECT_LT(mbps(), 0.3);
  link_ = BitRate::mbps(5);
  rtt_shift_ = 45ms;
  frames(40, {.segments = 1});
  EXPECT_FALSE(model_.state().cross_traffic);
  frames(60, {.segments = 1});
  EXPECT_TRUE(model_.state().cross_traffic);
}

TEST_F(PathModelTest, TwoFramesOfAShorterPathCorrectTheRttOnce) {
  rtt_shift_ = 50ms;
  frames(100, {.segments = 5});
  const auto longer = model_.state().round_trip;
  ASSERT_GT(longer, kRtt + 45ms);
  rtt_shift_ = 30ms;
  const DeliveredFrame first = send({.segments = 5});
  now_ += kInterval;
  const DeliveredFrame both[]{first, send({.segments = 5})};
  auto observation = seen();
  observation.frames = both;
  model_.update(observation, both[1].acked);
  EXPECT_NEAR(base::seconds(longer - model_.state().round_trip), 0.02, 0.004);
}

// telemetry.ack_timestamps_per_second may exclude most frames.
TEST_F(PathModelTest, AQueueOfOurOwnIsNotCrossTrafficIfFewFramesAreSampled) {
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
                                   .size = half + half,
                                   .end = delivered_}};
    if (i % 4 == 0) observation.frames = fourth;
    model_.update(observation, now_);
    ASSERT_FALSE(model_.state().cross_traffic) << i;
  }
}

// Cross traffic stretches trains, so the queue seems to be ours; but then it would have drained.
TEST_F(PathModelTest, AQueueThatOutlastsOurOwnDataIsCrossTraffic) {
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
                                        .size = size,
                                        .end = end_ += size}};
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

// Each frame arrives as it would in a queue of 0.1 s, whatever its size is. The capacity of 0.7
// Mbit/s, which small frames among others' packets seem to have, would explain all waits.
TEST_F(PathModelTest, FramesOfAllSizesThatWaitEquallyLongShowCrossTraffic) {
  link_ = BitRate::mbps(0.7);
  frames(5);
  now_ = link_free_;
  for (int i = 0; i < 30; ++i) {
    now_ += kInterval;
    const ByteCount size{(1 + i % 3) * kMss / 2};
    const DeliveredFrame delivered[]{
        {.departed = now_ - kRtt - 100ms, .acked = now_, .size = size, .end = end_ += size}};
    auto observation = seen();
    observation.delivered = delivered_ += size;
    observation.in_flight = ByteCount{9 * kMss};
    observation.frames = delivered;
    model_.update(observation, now_);
  }
  EXPECT_TRUE(model_.state().cross_traffic);
}

TEST_F(PathModelTest, FramesThatWaitForARetransmissionShowNoQueue) {
  frames(5);
  const auto before = model_.state().queue;
  for (int i = 0; i < 3; ++i) {
    const DeliveredFrame delivered[]{
        {.departed = now_ - 200ms, .acked = now_, .size = ByteCount{kMss}, .end = end_}};
    auto observation = seen();
    observation.retransmits = 1;
    observation.frames = delivered;
    model_.update(observation, now_ += 1ms);
  }
  EXPECT_GT(model_.state().queueing_delay, 100ms);
  EXPECT_EQ(model_.state().queue, before);
}

TEST_F(PathModelTest, AQueueThatOthersKeepFilledIsCrossTraffic) {
  frames(5);
  link_free_ = now_ + 100ms;
  for (int i = 0; i < 15; ++i) {
    frame();
    link_free_ += kInterval - ByteCount{8 * kMss} / link_;  // others use the rest of the link
  }
  EXPECT_TRUE(model_.state().cross_traffic);
}

}  // namespace
}  // namespace abr
