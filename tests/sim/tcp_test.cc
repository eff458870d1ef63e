// Each end of a connection on its own.

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tcp_receiver.h"
#include "tcp_sender.h"

namespace {

using namespace std::chrono_literals;
using base::ByteCount;
using base::Duration;
using base::Time;
using sim::Ack;
using sim::Offset;
using sim::Range;
using sim::Segment;
using sim::TcpReceiver;
using sim::TcpSender;

constexpr Time kStart{1h};
constexpr Offset kMss = TcpSender::kMss;

/// The n-th segment of the stream, from 0.
Segment segment(Offset n, bool push = false) {
  return {.flow = 0, .bytes = {n * kMss, (n + 1) * kMss}, .push = push};
}

/// A receiver after the segments that a new connection acknowledges at once.
TcpReceiver settled(Offset& next, bool eager) {
  TcpReceiver receiver{0, eager};
  for (next = 0; next < 16; ++next) receiver.receive(segment(next), kStart);
  return receiver;
}

TEST(TcpReceiverTest, EverySecondSegmentIsAcknowledged) {
  Offset next = 0;
  auto receiver = settled(next, false);
  EXPECT_FALSE(receiver.receive(segment(next), kStart));
  const auto ack = receiver.receive(segment(next + 1), kStart);
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->cumulative, (next + 2) * kMss);
}

TEST(TcpReceiverTest, ALoneSegmentIsAcknowledgedAfterFortyMilliseconds) {
  Offset next = 0;
  auto receiver = settled(next, false);
  receiver.receive(segment(next, true), kStart);
  EXPECT_EQ(receiver.timer(), kStart + 40ms);
  EXPECT_EQ(receiver.on_timer().cumulative, (next + 1) * kMss);
  EXPECT_FALSE(receiver.timer());
}

TEST(TcpReceiverTest, AnEagerReaderAcknowledgesTheEndOfAWrite) {
  Offset next = 0;
  auto receiver = settled(next, true);
  EXPECT_TRUE(receiver.receive(segment(next, true), kStart));
}

TEST(TcpReceiverTest, ASegmentThatLeavesOrFillsAHoleIsAcknowledgedAtOnce) {
  Offset next = 0;
  auto receiver = settled(next, false);
  const auto hole = receiver.receive(segment(next + 1), kStart);
  ASSERT_TRUE(hole);
  EXPECT_EQ(hole->cumulative, next * kMss);
  EXPECT_EQ(hole->blocks[0].begin, (next + 1) * kMss);
  const auto filled = receiver.receive(segment(next), kStart);
  ASSERT_TRUE(filled);
  EXPECT_EQ(filled->cumulative, (next + 2) * kMss);
  EXPECT_EQ(filled->blocks[0].end, 0u);
}

TEST(TcpReceiverTest, BlocksGrowTogetherAndTheNewestIsFirst) {
  Offset next = 0;
  auto receiver = settled(next, false);
  for (const Offset n : {1, 3, 6}) receiver.receive(segment(next + n), kStart);
  const auto ack = receiver.receive(segment(next + 2), kStart);
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->blocks[0].begin, (next + 1) * kMss);
  EXPECT_EQ(ack->blocks[0].end, (next + 4) * kMss);
  EXPECT_EQ(ack->blocks[1].begin, (next + 6) * kMss);
  EXPECT_EQ(ack->blocks[2].end, 0u);
}

class TcpSenderTest : public testing::Test {
 protected:
  /// Sends all segments that may be sent at `now`.
  std::vector<Segment> send(Time now) {
    std::vector<Segment> sent;
    while (const auto segment = sender_.send(now)) sent.push_back(*segment);
    return sent;
  }
  void write_segments(Offset count) {
    sender_.write(ByteCount{static_cast<std::int64_t>(count * kMss)});
  }
  void acknowledge(Offset count, Time now, Range block = {}) {
    sender_.on_ack({.flow = 0, .cumulative = count * kMss, .blocks = {block}}, now);
  }

  TcpSender sender_{0, sim::make_cubic()};
};

TEST_F(TcpSenderTest, AnInitialWindowIsTenSegments) {
  write_segments(20);
  EXPECT_EQ(send(kStart).size(), 10u);
  EXPECT_EQ(sender_.notsent().bytes(), static_cast<std::int64_t>(10 * kMss));
}

TEST_F(TcpSenderTest, ASegmentEndsWithItsWrite) {
  sender_.write(ByteCount{2000});
  sender_.write(ByteCount{100});
  const auto sent = send(kStart);
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_FALSE(sent[0].push);
  EXPECT_EQ(size_of(sent[1].bytes).bytes(), 2000 - 1448);
  EXPECT_TRUE(sent[1].push);
  EXPECT_TRUE(sent[2].push);
}

TEST_F(TcpSenderTest, ThreeSegmentsBeyondAHoleBeginAFastRetransmit) {
  write_segments(10);
  send(kStart);
  acknowledge(0, kStart + 40ms, {kMss, 3 * kMss});
  EXPECT_EQ(sender_.state().dupack, 0u);
  acknowledge(0, kStart + 40ms, {kMss, 4 * kMss});
  EXPECT_EQ(sender_.state().dupack, 1u);
  const auto again = send(kStart + 40ms);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].bytes.begin, 0u);
  EXPECT_NEAR(*sender_.control().ssthresh(), 0.7 * 12,
              1e-9);  // of the window, which two ACKs enlarged
  acknowledge(10, kStart + 80ms);
  EXPECT_FALSE(sender_.state().recovering);
}

TEST_F(TcpSenderTest, AHoleBeforeFewSegmentsIsFoundAQuarterOfARoundTripLater) {
  write_segments(3);
  send(kStart);
  acknowledge(0, kStart + 40ms, {kMss, 2 * kMss});
  ASSERT_EQ(sender_.timer(), kStart + 50ms);
  sender_.on_timer(kStart + 50ms);
  EXPECT_EQ(sender_.state().dupack, 1u);
}

TEST_F(TcpSenderTest, AFastRetransmitHasItsFullTimeBeforeTheTimeout) {
  write_segments(10);
  send(kStart);
  acknowledge(1, kStart + 40ms);
  acknowledge(1, kStart + 200ms, {2 * kMss, 6 * kMss});
  send(kStart + 200ms);
  EXPECT_GE(*sender_.timer(), kStart + 440ms);
}

TEST_F(TcpSenderTest, ALostTailIsProbedBeforeTheTimeout) {
  write_segments(5);
  send(kStart);
  acknowledge(3, kStart + 40ms);
  ASSERT_EQ(sender_.timer(), kStart + 40ms + 2 * 40ms + 2ms);
  sender_.on_timer(*sender_.timer());
  const auto probe = send(kStart + 122ms);
  ASSERT_EQ(probe.size(), 1u);
  EXPECT_EQ(probe[0].bytes.begin, 4 * kMss);
  EXPECT_EQ(sender_.state().rexmt, 0u);
}

TEST_F(TcpSenderTest, TheTimeoutDoublesUntilSomethingIsAcknowledged) {
  write_segments(10);
  send(kStart);
  acknowledge(5, kStart + 40ms);
  std::vector<Duration> waits;
  Time last = *sender_.timer();
  sender_.on_timer(last);  // the probe
  for (int i = 0; i < 4; ++i) {
    send(last);
    const Time next = *sender_.timer();
    sender_.on_timer(next);
    waits.push_back(next - last);
    last = next;
  }
  EXPECT_EQ(sender_.state().rexmt, 4u);
  EXPECT_GE(waits[0], 240ms);
  for (std::size_t i = 1; i < waits.size(); ++i) EXPECT_EQ(waits[i], 2 * waits[i - 1]);
  EXPECT_EQ(sender_.control().window(), 1);
  send(last);
  acknowledge(6, last + 40ms);
  EXPECT_LT(*sender_.timer(), last + 40ms + waits[1]);
}

TEST_F(TcpSenderTest, ATimeoutDuringARecoveryKeepsSsthresh) {
  write_segments(10);
  send(kStart);
  acknowledge(0, kStart + 40ms, {kMss, 4 * kMss});
  const auto ssthresh = sender_.control().ssthresh();
  ASSERT_TRUE(ssthresh);
  while (sender_.state().rexmt == 0) {
    const Time next = *sender_.timer();
    send(next);
    sender_.on_timer(next);
  }
  EXPECT_EQ(sender_.control().ssthresh(), ssthresh);
}

TEST_F(TcpSenderTest, APacedSenderWaitsBetweenSegments) {
  sender_.limit_pacing(base::BitRate::mbps(1.448 * 8));  // a segment each millisecond
  write_segments(3);
  EXPECT_EQ(send(kStart).size(), 1u);
  EXPECT_EQ(sender_.timer(), kStart + 1ms);
  sender_.on_timer(kStart + 1ms);
  EXPECT_EQ(send(kStart + 1ms).size(), 1u);
}

TEST_F(TcpSenderTest, AnUnusedWindowDecays) {
  sender_.control().set_window(100);
  Time now = kStart;
  for (Offset frame = 1; frame <= 20; ++frame, now += 33ms) {
    write_segments(12);
    send(now);
    acknowledge(12 * frame, now + 20ms);
  }
  EXPECT_LT(sender_.control().window(), 60);
  EXPECT_GE(sender_.control().window(), 12);
}

TEST_F(TcpSenderTest, TheDeliveryRateIncludesTheTimeInWhichAllWasLost) {
  write_segments(10);
  send(kStart);
  acknowledge(5, kStart + 40ms);
  sender_.on_timer(*sender_.timer());  // the probe
  send(kStart + 200ms);
  sender_.on_timer(*sender_.timer());
  ASSERT_EQ(sender_.in_flight().bytes(), 0);
  send(kStart + 1s);
  acknowledge(6, kStart + 1040ms);
  EXPECT_EQ(sender_.delivery_rate().rate(),
            base::BitRate::of(ByteCount{static_cast<std::int64_t>(kMss)}, 1s));
}

TEST_F(TcpSenderTest, TheDeliveryRateOfFramesIsApplicationLimited) {
  write_segments(8);
  send(kStart);
  acknowledge(8, kStart + 40ms);
  write_segments(8);
  send(kStart + 50ms);
  acknowledge(16, kStart + 90ms);
  EXPECT_TRUE(sender_.delivery_rate().app_limited());
  EXPECT_EQ(sender_.delivery_rate().rate(),
            base::BitRate::of(ByteCount{static_cast<std::int64_t>(8 * kMss)}, 40ms));
}

}  // namespace
