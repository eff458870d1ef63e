#include "app/viewer/observe.h"

#include <gtest/gtest.h>

#include <vector>

namespace app {
namespace {

using base::ByteCount;
using tcpinfo::EventKind;

class ObserveTest : public testing::Test {
 protected:
  abr::Observation observed() const { return observe(inputs_, sample_, viewer_); }

  ObservationInputs inputs_{.frame_interval = std::chrono::milliseconds{33}};
  tcpinfo::TcpSample sample_{.mss = 1000, .cwnd = 20, .ssthresh = 10};
  server::ViewerState viewer_;
};

TEST_F(ObserveTest, CountsTheEvents) {
  const std::vector<tcpinfo::CongestionEvent> events{
      {.kind = EventKind::kDupack}, {.kind = EventKind::kRexmt}, {.kind = EventKind::kDupack}};
  inputs_.events = events;
  EXPECT_EQ(observed().dupack, 2u);
  EXPECT_EQ(observed().rexmt, 1u);
}

TEST_F(ObserveTest, InFlightIsWhatWasSentAndHasNotArrived) {
  viewer_.sent = ByteCount{50'000};
  sample_.notsent = ByteCount{5'000};
  sample_.bytes_acked = 20'000;
  EXPECT_EQ(observed().in_flight, ByteCount{25'000});
  sample_.sacked = 4;
  sample_.lost = 3;
  sample_.retransmitted = 1;
  EXPECT_EQ(observed().in_flight, ByteCount{19'000});
}

TEST_F(ObserveTest, LostIsWhatHasNotBeenSentAgain) {
  sample_.lost = 3;
  sample_.retransmitted = 1;
  EXPECT_EQ(observed().lost, ByteCount{2'000});
  sample_.retransmitted = 4;  // one of them to be sure: a tail loss probe
  EXPECT_EQ(observed().lost, ByteCount{});
}

TEST_F(ObserveTest, SackedIsDelivered) {
  sample_.bytes_acked = 20'000;
  sample_.sacked = 4;
  EXPECT_EQ(observed().delivered, ByteCount{24'000});
}

TEST_F(ObserveTest, AnSsthreshThatIsIgnoredIsNone) {
  EXPECT_EQ(observed().ssthresh, 10u);
  inputs_.bbr = true;
  EXPECT_FALSE(observed().ssthresh);
}

TEST_F(ObserveTest, APaceThatIsNotKeptIsNone) {
  sample_.pacing = base::BitRate::mbps(5);
  EXPECT_EQ(observed().pacing, base::BitRate{});
  inputs_.paced = true;
  EXPECT_EQ(observed().pacing, base::BitRate::mbps(5));
}

}  // namespace
}  // namespace app
