#include "app/segments/media_response.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "app/segments/connection.h"
#include "app/segments/rate_response.h"
#include "loopback.h"
#include "plain_stream.h"
#include "tcpinfo/socket_sampler.h"
#include "track_packets.h"

namespace app {
namespace {

using namespace std::chrono_literals;
using segments::Target;

/// A session of a stream whose source is not started: the test makes the segments, of 2 s.
class MediaResponseTest : public testing::Test {
 protected:
  static StreamConfig config(base::Duration window) {
    auto config = plain_stream();
    config.segments.window = window;
    return config;
  }

  /// Begins a stream with a complete segment, a session and its connection.
  void begin(base::Duration window) {
    stream_ = std::make_shared<LiveStream>(0, config(window), media_clock_,
                                           transcoder::MakeSource{}, server_, metrics_);
    auto& store = stream_->segments();
    track_packets::frames(0s, 3s, [&](const auto& packet) { store.publish(0, packet); });
    complete_ = *store.oldest(false);
    session_ = std::make_shared<SegmentSession>(
        SegmentSession::Start{
            .id = 1, .stream = stream_, .place = {}, .client = {}, .format = "hls"},
        nullptr, taps_, now_);
    connection_.fd = tcp_.sender();
    connection_.state = std::make_unique<SegmentConnection>(deps_, 2, connection_.fd, 0);
    SegmentConnection::of(connection_)
        .on_request(session_, SegmentSession::hold_response(session_), {}, now_);
  }

  /// The head of the response to a request for the complete segment.
  server::ResponseHead head_of_segment(base::Duration window) {
    begin(window);
    const auto response =
        media_response(session_, {.kind = Target::Kind::kSegment, .number = complete_}, now_ + 6s);
    auto chunk = response->next(connection_, now_);
    EXPECT_TRUE(chunk.complete);
    return chunk.head.value();
  }

  const base::Time now_ = base::Clock::now();
  NoHandler handler_;
  server::Server server_{{}, handler_};
  Metrics metrics_{tcpinfo::EventSource::kTcpInfo};
  transcoder::MediaClock media_clock_;
  ViewerTaps taps_;
  tcpinfo::Loopback tcp_;
  tcpinfo::SocketSampler sampler_;
  EventDispatch events_{nullptr, 1};
  tcpinfo::SocketHints hints_;
  SocketWarnings warnings_;
  KnownNetworks networks_{""};
  ConnectionTable connections_;
  const SegmentConnection::Deps deps_{sampler_,  events_,     tcpinfo::EventSource::kTcpInfo,
                                      hints_,    {},          networks_,
                                      warnings_, connections_};
  std::shared_ptr<LiveStream> stream_;
  std::shared_ptr<SegmentSession> session_;
  server::ResponseConnection connection_;
  std::uint64_t complete_ = 0;  ///< number of the segment
};

TEST_F(MediaResponseTest, ASegmentHasToBeReadWhileItIsKept) {
  const auto head = head_of_segment(2min);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.finish_within, 2min);
}

TEST_F(MediaResponseTest, ASegmentThatIsKeptBrieflyMayBeReadForLonger) {
  EXPECT_EQ(head_of_segment(20s).finish_within, 30s);
}

TEST_F(MediaResponseTest, TheAudioIsOfTheGroupWhoseVideoThePlayerGets) {
  begin(2min);
  auto& store = stream_->segments();
  track_packets::frames(0s, 3s, [&](const auto& packet) { store.publish(1, packet); });
  for (const std::uint32_t group : {1, 0}) {
    for (std::uint64_t number = 0; number < 100; ++number) {
      auto packet = std::make_shared<media::Packet>(*track_packets::audio(number));
      packet->unit = {static_cast<std::uint8_t>(group)};
      store.publish(group, packet);
    }
  }
  const auto segment = session_->segment({segments::Rendition::Kind::kAudio, 0}, complete_);
  ASSERT_TRUE(segment);
  EXPECT_TRUE(segment->complete);
  EXPECT_EQ(segment->parts.at(0)->packets().front()->unit.at(0), 0);
}

TEST_F(MediaResponseTest, ASegmentThatIsStillBeingEncodedInTheEndIsSubstituted) {
  begin(2min);
  std::unique_ptr<server::StreamingResponse> response;
  std::optional<server::ResponseHead> early, late;
  const auto encode = [&](const auto&, const auto&, auto) -> OnDemand::Encoded {
    early = response->next(connection_, now_ + 5s).head;
    late = response->next(connection_, now_ + 6s).head;
    return {base::Error{"too late"}, 100ms};
  };
  OnDemand on_demand{0.1, encode, now_};
  response = rate_response(session_, on_demand,
                           {.stream = stream_,
                            .number = complete_,
                            .rate = base::BitRate::kbps(300),
                            .asker = {server::AddressBlock::largest(server::Address{}), 1}},
                           0s, now_ + 6s);
  EXPECT_FALSE(response->next(connection_, now_).head);
  ASSERT_TRUE(on_demand.encode_next(now_));
  EXPECT_FALSE(early);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->status, 200);
}

}  // namespace
}  // namespace app
