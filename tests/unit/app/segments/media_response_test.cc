#include "app/segments/media_response.h"

#include <gtest/gtest.h>

#include <memory>

#include "app/segments/connection.h"
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

  /// The head of the response to a request for the newest complete segment.
  server::ResponseHead head_of_segment(base::Duration window) {
    const auto stream = std::make_shared<LiveStream>(0, config(window), media_clock_,
                                                     transcoder::MakeSource{}, server_, metrics_);
    auto& store = stream->segments();
    track_packets::frames(0s, 3s, [&](const auto& packet) { store.publish(0, packet); });
    const auto session = std::make_shared<SegmentSession>(
        SegmentSession::Start{
            .id = 1, .stream = stream, .place = {}, .client = {}, .format = "hls"},
        nullptr, taps_, now_);
    server::ResponseConnection connection{.fd = tcp_.sender()};
    connection.state = std::make_unique<SegmentConnection>(deps_, 2, connection.fd, 0);
    SegmentConnection::of(connection)
        .on_request(session, SegmentSession::hold_response(session), {}, now_);
    const auto number = *store.oldest(false);
    const auto response =
        media_response(session, {.kind = Target::Kind::kSegment, .number = number}, now_ + 6s);
    auto chunk = response->next(connection, now_);
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
  ConnectionTable connections_;
  const SegmentConnection::Deps deps_{
      sampler_, events_, tcpinfo::EventSource::kTcpInfo, hints_, "", warnings_, connections_};
};

TEST_F(MediaResponseTest, ASegmentHasToBeReadWhileItIsKept) {
  const auto head = head_of_segment(2min);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.finish_within, 2min);
}

TEST_F(MediaResponseTest, ASegmentThatIsKeptBrieflyMayBeReadForLonger) {
  EXPECT_EQ(head_of_segment(20s).finish_within, 30s);
}

}  // namespace
}  // namespace app
