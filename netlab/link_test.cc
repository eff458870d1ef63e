#include "netlab/link.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace netlab {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;
using base::Duration;
using base::Time;

constexpr Time kStart{1s};

struct Packet {
  std::size_t size;
  std::uint64_t flow = 0;
};
base::ByteCount size_of(const Packet& packet) {
  return base::ByteCount{static_cast<std::int64_t>(packet.size)};
}
std::uint64_t flow_of(const Packet& packet) { return packet.flow; }
using TestLink = Link<Packet>;

Packet packet(std::size_t size = 1500) { return {size}; }

int arrivals(TestLink& link, Time now) {
  int count = 0;
  while (link.dequeue(now)) ++count;
  return count;
}

/// Passes `count` packets through the wire of `settings`, one by one; returns how many arrive.
int survivors(const LinkSettings& settings, int count, std::uint64_t seed = 1) {
  TestLink link{settings, seed};
  for (int i = 0; i < count; ++i) link.enqueue(packet(100), kStart);
  return arrivals(link, kStart);
}

TEST(LinkTest, PassesPacketsAtOnceWithoutLimits) {
  TestLink link{{}, 1};
  link.enqueue(packet(), kStart);
  EXPECT_EQ(link.next_arrival(), kStart);
  EXPECT_EQ(arrivals(link, kStart), 1);
}

TEST(LinkTest, ArrivesAfterSerialisationAndDelay) {
  TestLink link{{.rate = BitRate::mbps(12), .delay = 20ms}, 1};
  link.enqueue(packet(1500), kStart);
  EXPECT_EQ(link.next_arrival(), kStart + 21ms);
  EXPECT_EQ(arrivals(link, kStart + 21ms - 1ns), 0);
  EXPECT_EQ(arrivals(link, kStart + 21ms), 1);
}

TEST(LinkTest, KeepsTheRateWhenPolledLate) {
  TestLink link{{.rate = BitRate::mbps(12)}, 1};
  for (int i = 0; i < 10; ++i) link.enqueue(packet(1500), kStart);
  EXPECT_EQ(arrivals(link, kStart + 5500us), 5);
  EXPECT_EQ(arrivals(link, kStart + 10ms), 5);
}

TEST(LinkTest, IdleTimeEarnsNoCredit) {
  TestLink link{{.rate = BitRate::mbps(12)}, 1};
  link.enqueue(packet(1500), kStart);
  EXPECT_EQ(arrivals(link, kStart + 1s), 1);
  link.enqueue(packet(1500), kStart + 1s);
  EXPECT_EQ(arrivals(link, kStart + 1s + 999us), 0);
}

TEST(LinkTest, RateChangeFinishesAHalfSentPacketAtTheNewRate) {
  LinkSettings settings{.rate = BitRate::mbps(12)};
  TestLink link{settings, 1};
  link.enqueue(packet(1500), kStart);
  settings.rate = BitRate::mbps(1.2);
  link.set(settings, kStart + 500us);
  EXPECT_EQ(link.next_arrival(), kStart + 500us + 5ms);
}

TEST(LinkTest, DropsTheTailWhenTheQueueIsFull) {
  TestLink link{{.rate = BitRate::mbps(1), .queue = ByteCount{4500}}, 1};
  for (int i = 0; i < 5; ++i) link.enqueue(packet(1500), kStart);
  EXPECT_EQ(link.counters().dropped_queue, 2u);
  EXPECT_EQ(link.counters().queue_high_water, ByteCount{4500});
}

TEST(LinkTest, AQueueSmallerThanAPacketStillPassesOneAtATime) {
  TestLink link{{.rate = BitRate::mbps(1), .queue = ByteCount{100}}, 1};
  link.enqueue(packet(1500), kStart);
  EXPECT_EQ(link.counters().dropped_queue, 0u);
}

TEST(LinkTest, QueueDrainsAtTheRate) {
  TestLink link{{.rate = BitRate::mbps(12), .queue = ByteCount{15000}}, 1};
  for (int i = 0; i < 10; ++i) link.enqueue(packet(1500), kStart);
  (void)link.dequeue(kStart + 4ms);
  EXPECT_EQ(link.queued(), ByteCount{9000});
}

TEST(LinkTest, ATokenBucketPassesItsSizeAtOnceAndTheRestAtTheRate) {
  TestLink link{{.rate = BitRate::mbps(12), .bucket = ByteCount{15'000}}, 1};
  for (int i = 0; i < 20; ++i) link.enqueue(packet(1500), kStart);
  EXPECT_EQ(arrivals(link, kStart), 10);
  EXPECT_EQ(arrivals(link, kStart + 5500us), 5);
}

TEST(LinkTest, TokensAreSpentAtThePeakRate) {
  TestLink link{
      {.rate = BitRate::mbps(1.2), .bucket = ByteCount{15'000}, .peak = BitRate::mbps(12)}, 1};
  for (int i = 0; i < 20; ++i) link.enqueue(packet(1500), kStart);
  EXPECT_EQ(arrivals(link, kStart + 10ms), 10);
  EXPECT_EQ(arrivals(link, kStart + 20ms), 1);  // the tokens of 20 ms allow 11 packets in all
}

TEST(LinkTest, CoDelKeepsAStandingQueueShort) {
  const auto waiting = [](bool codel) {
    TestLink link{{.rate = BitRate::mbps(12), .codel = codel}, 1};
    for (int i = 0; i < 5000; ++i) {  // packets for 1.1 ms in each millisecond
      link.enqueue(packet(1650), kStart + i * 1ms);
      while (link.dequeue(kStart + i * 1ms)) {
      }
    }
    return link.queued() / BitRate::mbps(12);
  };
  EXPECT_GT(waiting(false), 300ms);
  EXPECT_LT(waiting(true), 60ms);
}

TEST(LinkTest, CoDelLeavesAShortQueueAlone) {
  TestLink link{{.rate = BitRate::mbps(12), .codel = true}, 1};
  for (int i = 0; i < 5000; ++i) {
    link.enqueue(packet(1500), kStart + i * 1ms);
    while (link.dequeue(kStart + i * 1ms)) {
    }
  }
  EXPECT_EQ(link.counters().dropped_codel, 0u);
}

/// Sends packets of flow 1 at twice the rate of a link of 12 Mbit/s, and with `fair` or without,
/// one of flow 2 every 10 ms. Returns how many of each arrive in five seconds.
std::array<int, 3> arrivals_beside_a_flood(const LinkSettings& settings) {
  std::array<int, 3> count{};
  TestLink link{settings, 1};
  for (int i = 0; i < 5000; ++i) {
    const Time now = kStart + i * 1ms;
    link.enqueue({.size = 1500, .flow = 1}, now);
    link.enqueue({.size = 1500, .flow = 1}, now);
    if (i % 10 == 0) link.enqueue({.size = 1500, .flow = 2}, now);
    while (const auto packet = link.dequeue(now)) ++count[packet->flow];
  }
  return count;
}

TEST(LinkTest, AFairQueueDropsOnlyFromTheFlowThatFillsIt) {
  LinkSettings settings{.rate = BitRate::mbps(12), .queue = ByteCount{30'000}, .fair = true};
  const auto fair = arrivals_beside_a_flood(settings);
  EXPECT_GE(fair[2], 499);
  EXPECT_NEAR(fair[1], 4500, 20);
  settings.fair = false;
  EXPECT_LT(arrivals_beside_a_flood(settings)[2], 400);
}

TEST(LinkTest, FlowsThatFillAFairQueueGetTheSame) {
  TestLink link{{.rate = BitRate::mbps(12), .queue = ByteCount{60'000}, .fair = true}, 1};
  std::array<std::size_t, 3> bytes{};
  for (int i = 0; i < 5000; ++i) {
    const Time now = kStart + i * 1ms;
    for (int packets = 0; packets < 3; ++packets) link.enqueue({.size = 1500, .flow = 1}, now);
    for (int packets = 0; packets < 9; ++packets) link.enqueue({.size = 300, .flow = 2}, now);
    while (const auto packet = link.dequeue(now)) bytes[packet->flow] += packet->size;
  }
  EXPECT_NEAR(static_cast<double>(bytes[1]) / static_cast<double>(bytes[2]), 1, 0.02);
}

TEST(LinkTest, APacketOfANewFlowPassesAFairQueue) {
  TestLink link{{.rate = BitRate::mbps(12), .fair = true}, 1};
  for (int i = 0; i < 100; ++i) link.enqueue({.size = 1500, .flow = 1}, kStart);
  link.enqueue({.size = 1500, .flow = 2}, kStart);
  std::vector<std::uint64_t> order;
  while (const auto packet = link.dequeue(kStart + 5ms)) order.push_back(packet->flow);
  EXPECT_EQ(order,
            (std::vector<std::uint64_t>{1, 1, 2, 1, 1}));  // each has a quantum of 1514 bytes
}

TEST(LinkTest, CoDelInAFairQueueSparesAFlowThatDoesNotFillIt) {
  const LinkSettings settings{.rate = BitRate::mbps(12), .codel = true, .fair = true};
  EXPECT_GE(arrivals_beside_a_flood(settings)[2], 499);
}

TEST(LinkTest, AggregatedPacketsArriveTogether) {
  TestLink link{{.rate = BitRate::mbps(12), .aggregate = 10ms}, 1};
  for (int i = 0; i < 15; ++i) link.enqueue(packet(1500), kStart);
  EXPECT_EQ(arrivals(link, kStart + 9999us), 0);
  EXPECT_EQ(arrivals(link, kStart + 10ms), 10);
  EXPECT_EQ(arrivals(link, kStart + 20ms), 5);
}

TEST(LinkTest, LosesTheConfiguredShare) {
  const int lost = 20000 - survivors({.loss = 0.05}, 20000);
  EXPECT_NEAR(lost, 1000, 4 * 31);  // standard deviation sqrt(20000 * 0.05 * 0.95) = 31
}

TEST(LinkTest, SameSeedLosesTheSamePackets) {
  EXPECT_EQ(survivors({.loss = 0.5}, 1000, 7), survivors({.loss = 0.5}, 1000, 7));
  EXPECT_NE(survivors({.loss = 0.5}, 1000, 7), survivors({.loss = 0.5}, 1000, 8));
}

TEST(LinkTest, BurstsLoseTheGilbertShare) {
  // Stationary share of the lossy state: enter / (enter + leave).
  const int lost = 100000 - survivors({.burst_enter = 0.01, .burst_leave = 0.25}, 100000);
  EXPECT_NEAR(lost, 100000 * 0.01 / 0.26, 400);
}

TEST(LinkTest, BurstsEndAfterTheirTimeWithFewPackets) {
  LinkSettings settings{.burst_enter = 1, .burst_leave = 0, .burst_time = 20ms};
  TestLink link{settings, 1};
  link.enqueue(packet(), kStart);  // begins a burst, which no packet ends
  settings.burst_enter = 0;
  link.set(settings, kStart);
  link.enqueue(packet(), kStart + 20ms);
  EXPECT_EQ(arrivals(link, kStart + 20ms), 0);
  link.enqueue(packet(), kStart + 21ms);
  EXPECT_EQ(arrivals(link, kStart + 21ms), 1);
  EXPECT_EQ(link.counters().dropped_burst, 2u);
}

TEST(LinkTest, BlackHoleSwallowsPacketsThatLeaveTheQueue) {
  LinkSettings settings{.delay = 10ms};
  TestLink link{settings, 1};
  link.enqueue(packet(), kStart);
  settings.blackhole = true;
  link.set(settings, kStart + 1ms);
  link.enqueue(packet(), kStart + 2ms);
  settings.blackhole = false;
  link.set(settings, kStart + 3ms);
  EXPECT_EQ(arrivals(link, kStart + 1s), 1);
  EXPECT_EQ(link.counters().dropped_blackhole, 1u);
}

TEST(LinkTest, JitterKeepsTheOrder) {
  TestLink link{{.delay = 5ms, .jitter = 20ms}, 1};
  for (std::uint8_t i = 0; i < 200; ++i) link.enqueue(packet(i), kStart + i * 1ms);
  for (std::uint8_t i = 0; i < 200; ++i) {
    EXPECT_EQ(link.dequeue(kStart + 1s).value().size, i);
  }
}

TEST(LinkTest, ShorterDelayDoesNotOvertake) {
  LinkSettings settings{.delay = 100ms};
  TestLink link{settings, 1};
  link.enqueue(packet(1), kStart);
  settings.delay = 0ms;
  link.set(settings, kStart + 1ms);
  link.enqueue(packet(2), kStart + 2ms);
  EXPECT_EQ(arrivals(link, kStart + 99ms), 0);
  EXPECT_EQ(link.dequeue(kStart + 100ms).value().size, 1u);
  EXPECT_EQ(link.dequeue(kStart + 100ms).value().size, 2u);
}

TEST(LinkTest, CountsPacketsInAndOut) {
  TestLink link{{}, 1};
  link.enqueue(packet(100), kStart);
  link.enqueue(packet(200), kStart);
  EXPECT_EQ(arrivals(link, kStart), 2);
  EXPECT_EQ(link.counters().bytes_in, 300u);
  EXPECT_EQ(link.counters().bytes_out, 300u);
}

TEST(LinkTest, CountsPacketsFetchedLate) {
  TestLink link{{.delay = 10ms}, 1};
  link.enqueue(packet(), kStart);
  link.enqueue(packet(), kStart);
  link.dequeue(kStart + 11ms);
  EXPECT_EQ(link.counters().late, 0u);
  link.dequeue(kStart + 13ms);
  EXPECT_EQ(link.counters().late, 1u);
}

}  // namespace
}  // namespace netlab
