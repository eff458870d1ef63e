#include "tcpinfo/polled_events.h"

#include <gtest/gtest.h>

namespace tcpinfo {
namespace {

constexpr base::Duration kSamplingPeriod = std::chrono::milliseconds{33};

class PolledEventsTest : public testing::Test {
 protected:
  PolledEventsTest() {
    sample_.cwnd = 40;
    sample_.ssthresh = 60;
    sample_.total_timeouts = 0;
    events_.update(sample_);
  }

  std::vector<EventKind> kinds() {
    std::vector<EventKind> result;
    sample_.at += kSamplingPeriod;
    for (const auto& event : events_.update(sample_)) result.push_back(event.kind);
    return result;
  }

  using Kinds = std::vector<EventKind>;
  TcpSample sample_;
  PolledEvents events_;
};

TEST_F(PolledEventsTest, NoChangeIsNoEvent) { EXPECT_EQ(kinds(), Kinds{}); }

TEST_F(PolledEventsTest, TheFirstSampleIsNoEvent) {
  sample_.total_timeouts = 3;
  sample_.ca_state = CaState::kLoss;
  EXPECT_TRUE(PolledEvents{}.update(sample_).empty());
}

TEST_F(PolledEventsTest, EntryToRecoveryIsDupack) {
  sample_.ca_state = CaState::kRecovery;
  EXPECT_EQ(kinds(), Kinds{EventKind::kDupack});
}

TEST_F(PolledEventsTest, RecoveryAfterATimeoutIsDupackToo) {
  sample_.ca_state = CaState::kLoss;
  sample_.total_timeouts = 1;
  kinds();
  sample_.ca_state = CaState::kRecovery;
  EXPECT_EQ(kinds(), Kinds{EventKind::kDupack});
}

TEST_F(PolledEventsTest, StayingInRecoveryIsOneEvent) {
  sample_.ca_state = CaState::kRecovery;
  kinds();
  sample_.total_retransmits += 2;
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(PolledEventsTest, EachTimeoutIsRexmt) {
  sample_.ca_state = CaState::kLoss;
  sample_.total_timeouts = 2;
  EXPECT_EQ(kinds(), (Kinds{EventKind::kRexmt, EventKind::kRexmt}));
  sample_.total_timeouts = 3;
  EXPECT_EQ(kinds(), Kinds{EventKind::kRexmt});
}

TEST_F(PolledEventsTest, TheTimeoutCounterMayWrap) {
  sample_.total_timeouts = 0xffff;
  kinds();
  sample_.total_timeouts = 0;
  EXPECT_EQ(kinds(), Kinds{EventKind::kRexmt});
}

TEST_F(PolledEventsTest, OldKernelsShowTimeoutsByTimeoutsInRow) {
  sample_.total_timeouts.reset();
  kinds();
  sample_.ca_state = CaState::kLoss;
  sample_.timeouts_in_row = 1;
  EXPECT_EQ(kinds(), Kinds{EventKind::kRexmt});
  sample_.timeouts_in_row = 2;
  EXPECT_EQ(kinds(), Kinds{EventKind::kRexmt});
  sample_.timeouts_in_row = 0;
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(PolledEventsTest, ARecoveryBetweenSamplesShowsByAFallingSsthresh) {
  sample_.total_retransmits += 1;
  sample_.ssthresh = 28;
  EXPECT_EQ(kinds(), Kinds{EventKind::kDupack});
}

// bbr leaves ssthresh alone, so the event shows one sample later.
TEST_F(PolledEventsTest, ARecoveryBetweenSamplesShowsByRetransmissionsWithoutDuplicates) {
  sample_.total_retransmits += 1;
  EXPECT_EQ(kinds(), Kinds{});
  EXPECT_EQ(kinds(), Kinds{EventKind::kDupack});
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(PolledEventsTest, AnUnneededRetransmissionIsATailLossProbe) {
  sample_.total_retransmits += 1;
  EXPECT_EQ(kinds(), Kinds{});
  sample_.duplicates += 1;
  EXPECT_EQ(kinds(), Kinds{EventKind::kTlp});
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(PolledEventsTest, ADuplicateInTheSameSampleMakesItATailLossProbe) {
  sample_.total_retransmits += 1;
  sample_.duplicates += 1;
  EXPECT_EQ(kinds(), Kinds{});
  EXPECT_EQ(kinds(), Kinds{EventKind::kTlp});
}

TEST_F(PolledEventsTest, NoRecoveryIsShorterThanTheRoundTrip) {
  sample_.rtt = 2 * kSamplingPeriod;
  sample_.total_retransmits += 1;
  EXPECT_EQ(kinds(), Kinds{EventKind::kTlp});
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(PolledEventsTest, SsthreshReturningToItsOldValueIsAnUndo) {
  sample_.ssthresh = 28;
  sample_.total_retransmits += 1;
  kinds();
  sample_.ssthresh = 60;
  sample_.duplicates += 1;
  EXPECT_EQ(kinds(), Kinds{EventKind::kUndo});
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(PolledEventsTest, SsthreshRisingToAnotherValueIsNoEvent) {
  sample_.ssthresh = 28;
  sample_.total_retransmits += 1;
  kinds();
  sample_.ssthresh = 45;  // 3/4 of the window, after a pause (RFC 2861)
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(PolledEventsTest, EntryToCwrIsOneEvent) {
  sample_.ca_state = CaState::kCwr;
  sample_.ssthresh = 28;
  EXPECT_EQ(kinds(), Kinds{EventKind::kCwr});
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(PolledEventsTest, AReductionWithoutRetransmissionIsCwr) {
  sample_.ssthresh = 28;
  EXPECT_EQ(kinds(), Kinds{EventKind::kCwr});
}

TEST_F(PolledEventsTest, TheEndOfSlowStartIsNoEvent) {
  sample_.ssthresh.reset();
  kinds();
  sample_.ssthresh = 40;
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(PolledEventsTest, TheLastRetransmissionsOfARecoveryAreNoEvent) {
  sample_.ca_state = CaState::kRecovery;
  kinds();
  sample_.total_retransmits += 1;
  sample_.ca_state = CaState::kOpen;
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(PolledEventsTest, RetransmissionsAfterATimeoutAreNoEvent) {
  sample_.ca_state = CaState::kLoss;
  sample_.total_timeouts = 1;
  kinds();
  sample_.total_retransmits += 3;
  sample_.ca_state = CaState::kOpen;
  EXPECT_EQ(kinds(), Kinds{});
}

TEST_F(PolledEventsTest, TheReductionAfterATimeoutIsNotDupack) {
  sample_.total_timeouts = 1;
  sample_.total_retransmits += 1;
  sample_.ssthresh = 20;
  sample_.ca_state = CaState::kLoss;
  EXPECT_EQ(kinds(), Kinds{EventKind::kRexmt});
}

TEST_F(PolledEventsTest, EventsCarryTheWindow) {
  sample_.ca_state = CaState::kRecovery;
  sample_.cwnd = 20;
  sample_.ssthresh = 21;
  const auto events = events_.update(sample_);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].cwnd, 20u);
  EXPECT_EQ(events[0].ssthresh, 21u);
}

}  // namespace
}  // namespace tcpinfo
