#include "app/tcp/frame_deliveries.h"

#include <gtest/gtest.h>

#include <vector>

namespace app {
namespace {

using namespace std::chrono_literals;
using Source = FrameDelivery::Source;

/// Each frame has 100 bytes and is followed by 2 bytes of HTTP.
class FrameDeliveriesTest : public testing::Test {
 protected:
  struct Seen {
    std::uint64_t number;
    FrameDelivery delivery;
  };

  server::SentFrame frame(std::uint64_t number) const {
    return {.number = number, .departed = kSent, .end_offset = 102 * number + 100};
  }
  void push(std::uint64_t number) { sent_.push(frame(number)); }
  void push_marked(std::uint64_t number, std::uint64_t head = 0) {
    auto marked = frame(number);
    marked.marked_end = end(number);
    if (head > 0) marked.head_end = end(number) - 102 + head;
    sent_.push(marked);
  }
  static std::uint64_t end(std::uint64_t number) { return 102 * (number + 1); }

  std::vector<Seen> report(std::uint64_t offset, base::Time at) {
    std::vector<Seen> seen;
    frames_.on_report({offset, at}, sent_, note(seen));
    return seen;
  }
  std::vector<Seen> sample(std::uint64_t acked, base::Time at) {
    std::vector<Seen> seen;
    frames_.on_sample({.at = at, .bytes_acked = acked}, sent_, note(seen), [&] {
      ++reads_;
      if (waiting_.end > 0) frames_.on_report(waiting_, sent_, note(seen));
    });
    return seen;
  }
  static std::function<void(const server::SentFrame&, const FrameDelivery&)> note(
      std::vector<Seen>& seen) {
    return [&](const auto& f, const auto& delivery) { seen.push_back({f.number, delivery}); };
  }

  static constexpr base::Time kSent{1s};
  server::SentFrames sent_;
  FrameDeliveries frames_;
  tcpinfo::Delivery waiting_;  ///< the report on the error queue
  int reads_ = 0;              ///< times the error queue was read
};

TEST_F(FrameDeliveriesTest, AReportDeliversItsFrame) {
  push_marked(0);
  push_marked(1);
  const auto seen = report(end(0), kSent + 50ms);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].number, 0u);
  EXPECT_EQ(seen[0].delivery.at, kSent + 50ms);
  EXPECT_EQ(seen[0].delivery.source, Source::kTimestamp);
  EXPECT_FALSE(seen[0].delivery.head);
}

TEST_F(FrameDeliveriesTest, TheReportOfAHeadIsKeptForItsFrame) {
  push_marked(0, 40);
  EXPECT_TRUE(report(40, kSent + 50ms).empty());
  const auto seen = report(end(0), kSent + 60ms);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].delivery.head, kSent + 50ms);
}

TEST_F(FrameDeliveriesTest, TheReportOfAHeadMayArriveBeforeItsTailIsSent) {
  report(40, kSent + 50ms);
  push_marked(0, 40);
  EXPECT_EQ(report(end(0), kSent + 60ms)[0].delivery.head, kSent + 50ms);
}

// The frame is short; only the padding behind it makes the packet train.
TEST_F(FrameDeliveriesTest, AFrameThatFitsInTheHeadIsDeliveredWithItsMark) {
  sent_.push({.number = 0, .departed = kSent, .end_offset = 30, .marked_end = 102, .head_end = 40});
  EXPECT_TRUE(report(40, kSent + 50ms).empty());
  const auto seen = report(102, kSent + 60ms);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].delivery.source, Source::kTimestamp);
  EXPECT_EQ(seen[0].delivery.head, kSent + 50ms);
}

TEST_F(FrameDeliveriesTest, ALostReportOfAHeadLeavesItsTimeUnset) {
  push_marked(0, 40);
  EXPECT_FALSE(report(end(0), kSent + 60ms)[0].delivery.head);
}

TEST_F(FrameDeliveriesTest, AReportAlsoDeliversEarlierFrames) {
  push(0);
  push_marked(1);
  push_marked(2);
  const auto seen = report(end(2), kSent + 50ms);  // the report of 1 is lost
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].delivery.source, Source::kTcpInfo);
  EXPECT_EQ(seen[1].delivery.source, Source::kTcpInfo);
  EXPECT_EQ(seen[2].delivery.source, Source::kTimestamp);
}

TEST_F(FrameDeliveriesTest, ADeliveryIsNoMoreUncertainThanTheTimeSinceTheLastLook) {
  push_marked(0);
  EXPECT_EQ(report(end(0), kSent + 50ms)[0].delivery.uncertainty, 0ms);
  push(1);
  push(2);
  push_marked(3);
  EXPECT_EQ(sample(end(1), kSent + 90ms)[0].delivery.uncertainty, 40ms) << "since the report";
  const auto seen = report(end(3), kSent + 100ms);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].delivery.uncertainty, 10ms) << "since the sample";
  EXPECT_EQ(seen[1].delivery.uncertainty, 0ms);
}

TEST_F(FrameDeliveriesTest, NoDeliveryIsEarlierThanTheDeparture) {
  push_marked(0, 40);
  report(40, kSent - 2us);
  const auto delivery = report(end(0), kSent - 1us)[0].delivery;
  EXPECT_EQ(delivery.at, kSent);
  EXPECT_EQ(delivery.head, kSent);
}

TEST_F(FrameDeliveriesTest, ASampleDeliversFramesWithoutReports) {
  push(0);
  push_marked(1);
  push(2);
  const auto seen = sample(end(1), kSent + 70ms);
  ASSERT_EQ(seen.size(), 2u);
  for (const auto& [number, delivery] : seen) {
    EXPECT_EQ(delivery.at, kSent + 70ms);
    EXPECT_EQ(delivery.source, Source::kTcpInfo);
  }
}

TEST_F(FrameDeliveriesTest, ASampleDeliversAMarkedFrameOnlyUpToItsMark) {
  push_marked(0);
  EXPECT_TRUE(sample(100, kSent + 70ms).empty()) << "the line end of the chunk is in flight";
  EXPECT_EQ(sample(102, kSent + 71ms).size(), 1u);
}

TEST_F(FrameDeliveriesTest, AWaitingReportTakesPrecedenceOverTheSample) {
  push(0);
  push_marked(1);
  waiting_ = {end(1), kSent + 60ms};
  const auto seen = sample(end(1), kSent + 70ms);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].delivery.source, Source::kTcpInfo);
  EXPECT_EQ(seen[1].delivery.source, Source::kTimestamp);
  EXPECT_EQ(seen[1].delivery.at, kSent + 60ms);
}

TEST_F(FrameDeliveriesTest, ReadsReportsOnlyIfOneIsMissing) {
  push(0);
  push_marked(1);
  sample(end(0), kSent + 70ms);
  EXPECT_EQ(reads_, 0) << "the acknowledged frame was not marked";
  report(end(1), kSent + 71ms);
  sample(end(1), kSent + 72ms);
  EXPECT_EQ(reads_, 0) << "the frame has been reported already";
  push_marked(2);
  sample(end(2), kSent + 73ms);
  EXPECT_EQ(reads_, 1);
}

}  // namespace
}  // namespace app
