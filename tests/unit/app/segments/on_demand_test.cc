#include "app/segments/on_demand.h"

#include <gtest/gtest.h>

#include <memory>
#include <variant>
#include <vector>

#include "app/segments/rate_response.h"
#include "plain_stream.h"
#include "track_packets.h"

namespace app {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

/// A stream whose group encodes at 500 kbit/s. The test encodes the segments on demand.
class OnDemandTest : public testing::Test {
 protected:
  void SetUp() override {
    track_packets::frames(0s, 5s, [&](const auto& packet) { store().publish(0, packet); });
    complete_ = *store().newest() - 1;
  }

  segments::SegmentStore& store() { return stream_->segments(); }

  OnDemand::Encoded encode(const segments::Segment& source, BitRate rate) {
    encoded_.push_back(rate);
    if (fails_) return {base::Error{"no"}, 100ms};
    std::vector<media::PacketPtr> packets;
    for (const auto& part : source.parts) {
      for (const auto& frame : part->packets()) {
        auto packet = std::make_shared<media::Packet>(*frame);
        packet->rate = rate;
        packet->headers = std::make_shared<const media::Headers>();
        packets.push_back(std::move(packet));
      }
    }
    return {std::move(packets), 100ms};
  }

  OnDemand::Request request(BitRate rate, std::uint64_t session = 1) {
    const auto address = *server::Address::parse("192.0.2.1");
    return {stream_, complete_, rate, {server::AddressBlock::largest(address), session}};
  }
  OnDemand::Result get(BitRate rate, std::uint64_t session = 1) {
    return on_demand_.get(request(rate, session), now_);
  }
  BitRate rate_of(const OnDemand::Result& result) {
    const auto* const segment = std::get_if<segments::Segment>(&result);
    return segment == nullptr ? BitRate{} : segment->rate;
  }

  NoHandler handler_;
  server::Server server_{{}, handler_};
  Metrics metrics_{tcpinfo::EventSource::kTcpInfo};
  transcoder::MediaClock media_clock_;
  std::shared_ptr<LiveStream> stream_ = std::make_shared<LiveStream>(
      0, plain_stream(), media_clock_, transcoder::MakeSource{}, server_, metrics_);
  base::Time now_{1h};
  bool fails_ = false;
  std::vector<BitRate> encoded_;
  OnDemand on_demand_{
      0.1, [this](const auto&, const auto& source, BitRate rate) { return encode(source, rate); },
      now_};
  std::uint64_t complete_ = 0;  ///< number of the newest complete segment
};

TEST_F(OnDemandTest, AGroupsSegmentIsSharedIfItsRateIsLowEnough) {
  EXPECT_EQ(rate_of(get(BitRate::kbps(500))), BitRate::kbps(500));
  EXPECT_EQ(rate_of(get(BitRate::mbps(5))), BitRate::kbps(500));
  EXPECT_EQ(on_demand_.state().shared, 2u);
}

TEST_F(OnDemandTest, ALowerRateIsEncodedOnceForAll) {
  EXPECT_TRUE(std::holds_alternative<OnDemand::Pending>(get(BitRate::kbps(300))));
  EXPECT_TRUE(on_demand_.encode_next(now_));
  EXPECT_FALSE(on_demand_.encode_next(now_)) << "nothing waits";
  const auto rate = rate_of(get(BitRate::kbps(300)));
  EXPECT_LE(rate, BitRate::kbps(300));
  EXPECT_GT(rate, BitRate::kbps(280)) << "rounded down by a step of 5 %";
  EXPECT_EQ(rate_of(get(BitRate::kbps(300), 2)), rate);
  EXPECT_EQ(encoded_, std::vector{rate});
  EXPECT_EQ(on_demand_.state().coded, 1u);
  EXPECT_EQ(on_demand_.state().shared, 1u);
}

TEST_F(OnDemandTest, ASegmentThatCannotBeEncodedFails) {
  fails_ = true;
  get(BitRate::kbps(300));
  on_demand_.encode_next(now_);
  EXPECT_TRUE(std::holds_alternative<OnDemand::Failed>(get(BitRate::kbps(300))));
  EXPECT_EQ(on_demand_.state().failed, 1u);
}

TEST_F(OnDemandTest, BeyondTheBudgetAnotherRateIsSent) {
  int pending = 0;
  for (int kbps = 400; kbps > 20; kbps = kbps * 9 / 10) {
    const auto result = get(BitRate::kbps(kbps));
    pending += std::holds_alternative<OnDemand::Pending>(result) ? 1 : 0;
    if (!std::holds_alternative<OnDemand::Pending>(result)) {
      EXPECT_EQ(rate_of(result), BitRate::kbps(500)) << "the only one that there is";
    }
  }
  EXPECT_GT(pending, 0);
  EXPECT_GT(on_demand_.state().substituted, 0u);
}

TEST_F(OnDemandTest, APlayerThatCannotWaitGetsAnotherRate) {
  EXPECT_TRUE(std::holds_alternative<OnDemand::Pending>(get(BitRate::kbps(300))));
  const auto another = [&] { return on_demand_.get_another(request(BitRate::kbps(300)), now_); };
  EXPECT_EQ(rate_of(another()), BitRate::kbps(500));
  EXPECT_EQ(on_demand_.state().substituted, 1u);
  complete_ = *store().newest();
  EXPECT_TRUE(std::holds_alternative<OnDemand::NotFound>(another())) << "it is being made";
}

TEST_F(OnDemandTest, OtherSegmentsAreThereOrComeOrDoNot) {
  const auto at = [&](std::uint64_t number) {
    complete_ = number;
    return get(BitRate::kbps(300));
  };
  const auto newest = *store().newest();
  EXPECT_TRUE(std::holds_alternative<OnDemand::Pending>(at(newest))) << "it is being made";
  EXPECT_TRUE(std::holds_alternative<OnDemand::Pending>(at(newest + 1)));
  EXPECT_TRUE(std::holds_alternative<OnDemand::NotFound>(at(newest + 9)));
}

TEST_F(OnDemandTest, KnowsBeforehandIfAPlayerGetsNothing) {
  const auto missing = [&](const OnDemand& on_demand, std::uint64_t number) {
    const auto error = missing_at_rate(on_demand, *stream_, number, BitRate::kbps(300));
    return error ? error->head.status : 0;
  };
  EXPECT_EQ(missing(on_demand_, complete_), 0);
  EXPECT_EQ(missing(on_demand_, complete_ + 2), 0) << "it is due";
  EXPECT_EQ(missing(on_demand_, complete_ - 5), 404) << "no group has made it";
  const OnDemand off{0, {}, now_};
  EXPECT_EQ(missing(off, complete_), 404) << "it would have to be encoded";
  EXPECT_EQ(missing(off, complete_ + 2), 0);
  EXPECT_FALSE(missing_at_rate(off, *stream_, complete_, BitRate::kbps(500)));
}

TEST_F(OnDemandTest, NothingIsKeptOfAStreamThatIsGone) {
  get(BitRate::kbps(300));
  on_demand_.encode_next(now_);
  get(BitRate::kbps(200));
  EXPECT_EQ(on_demand_.state().kept, 2u);
  now_ += EncodeTurns::kAbandonedAfter;
  on_demand_.forget_old(now_);
  EXPECT_EQ(on_demand_.state().kept, 1u) << "nobody waits for the other one";
  stream_.reset();
  on_demand_.forget_old(now_);
  EXPECT_EQ(on_demand_.state().kept, 0u);
}

}  // namespace
}  // namespace app
