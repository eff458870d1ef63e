#include <gmock/gmock.h>

#include <array>
#include <vector>

#include "http_client.h"
#include "media/mpegts.h"
#include "packets.h"
#include "running_server.h"

namespace {

using packets::audio;
using packets::frame;
using packets::kFrame;
using server::LeaveReason;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t kFrameBytes = 2 * 188;
const std::string kGet = "GET /live.ts HTTP/1.1\r\nHost: x\r\n\r\n";

std::string text(const media::PacketPtr& packet) { return {packet->ts.begin(), packet->ts.end()}; }

/// The numbers of the frames in a transport stream.
std::vector<std::uint64_t> frame_numbers_of(const std::string& ts) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i + 188 <= ts.size(); i += 188) {
    const auto* p = reinterpret_cast<const std::uint8_t*>(ts.data() + i);
    if (p[2] != 0 || (p[3] & 0x10) == 0) continue;  // audio or splice
    std::uint64_t number = 0;
    for (int b = 7; b >= 0; --b) number = number << 8 | p[5 + b];
    if (numbers.empty() || numbers.back() != number) numbers.push_back(number);
  }
  return numbers;
}

class ServerStreamTest : public RunningServer {
 protected:
  void publish(const media::PacketPtr& packet, media::ChannelId channel = kChannel) {
    server_->publish(channel, packet);
  }

  /// Whether a viewer of "late" has been told to wait `times` times.
  bool waited(int times) {
    return eventually([&] { return handler_.seen.waits >= times; });
  }

  /// Asks for `path` for longer than a viewer who takes nothing is safe.
  void refuses_a_newcomer(const std::string& path, const std::string& with) {
    HttpClient newcomer{endpoint_};
    const auto until = base::Clock::now() + server::Places::kFirstTime + milliseconds{500};
    while (base::Clock::now() < until) {
      newcomer.get(path);
      ASSERT_THAT(newcomer.read_page(), StartsWith(with));
    }
  }

  /// A frame `number` milliseconds into the stream, so that no bound in media time matters.
  static media::PacketPtr dense_audio(std::uint64_t number) {
    auto packet = std::make_shared<media::Packet>(*audio(number));
    packet->pts = milliseconds{number};
    return packet;
  }
  static media::PacketPtr dense(std::uint64_t number, bool keyframe, std::size_t ts_packets = 2) {
    auto packet = std::make_shared<media::Packet>(*frame(number, keyframe, 0, ts_packets));
    packet->pts = milliseconds{number};
    return packet;
  }
};

TEST_F(ServerStreamTest, StreamsFromTheCachedKeyframe) {
  start();
  publish(frame(0, true));
  publish(frame(1));
  HttpClient client{endpoint_};
  client.send("GET /live.ts?max=2M HTTP/1.1\r\nHost: x\r\nUser-Agent: mpv\r\n\r\n");
  const auto head = client.read_head();
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Type: video/mp2t\r\n"));
  EXPECT_EQ(client.read_chunked(2 * kFrameBytes), text(frame(0)) + text(frame(1)));
  publish(frame(2));
  EXPECT_EQ(client.read_chunked(kFrameBytes), text(frame(2)));
  EXPECT_TRUE(eventually([&] { return handler_.seen.ticks == 1; }));
  const auto request = handler_.seen.requests.at(1);
  EXPECT_EQ(request.query, "max=2M");
  EXPECT_EQ(request.user_agent, "mpv");
  EXPECT_EQ(request.client.address.text(), "127.0.0.1");
}

TEST_F(ServerStreamTest, WaitsForAKeyframe) {
  start();
  HttpClient client{endpoint_};
  client.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  client.read_head();
  publish(audio(0));
  publish(frame(0));
  publish(frame(1, true));
  EXPECT_EQ(client.read_chunked(kFrameBytes), text(frame(1)));
}

TEST_F(ServerStreamTest, SendsHttp10TheBareStream) {
  start();
  publish(frame(0, true));
  HttpClient client{endpoint_};
  client.send("GET /live.ts HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.read_head(), testing::Not(HasSubstr("chunked")));
  EXPECT_EQ(client.read_exactly(kFrameBytes), text(frame(0)));
}

TEST_F(ServerStreamTest, AHeadNeedsNoPlace) {
  settings_.max_viewers = 1;
  start();
  HttpClient viewer{endpoint_};
  viewer.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  HttpClient client{endpoint_};
  client.send("HEAD /live.ts HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_head(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerStreamTest, AnswersHeadWithoutAViewer) {
  start();
  HttpClient client{endpoint_};
  client.send("HEAD /live.ts HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_to_end(), HasSubstr("Content-Type: video/mp2t\r\n"));
  EXPECT_TRUE(handler_.seen.requests.at(1).head);
  EXPECT_EQ(handler_.seen.joins, 0);
  HttpClient unknown{endpoint_};
  unknown.send("HEAD /nothing.ts HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(unknown.read_head(), StartsWith("HTTP/1.1 404 "));
}

TEST_F(ServerStreamTest, RefusesAViewerWhoCannotBeAdmitted) {
  settings_.max_viewers = 1;
  start();
  testing::internal::CaptureStderr();
  HttpClient client{endpoint_};
  for (int i = 0; i < 2; ++i) {
    client.get("/broken.ts");
    const auto response = client.read_page();
    EXPECT_THAT(response, StartsWith("HTTP/1.1 503 "));
    EXPECT_THAT(response, HasSubstr("no encoder can be started"));
  }
  const auto log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("admission_failed stream=broken error=\"no thread\" times=1 hint="));
}

TEST_F(ServerStreamTest, AViewerWaitsUntilTheHandlerAdmitsThem) {
  start();
  publish(frame(0, true));
  HttpClient client{endpoint_};
  client.get("/late.ts");
  EXPECT_TRUE(waited(3));
  EXPECT_EQ(viewers(), 0);
  handler_.seen.begun = true;
  EXPECT_THAT(client.read_head(), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(client.read_chunked(kFrameBytes), text(frame(0)));
  EXPECT_EQ(handler_.seen.requests.size(), 1) << "one viewer, one ID";
  EXPECT_EQ(handler_.seen.requests.begin()->first, 1);
}

TEST_F(ServerStreamTest, AHeadWaitsToo) {
  start();
  HttpClient client{endpoint_};
  client.send("HEAD /late.ts HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(waited(1));
  handler_.seen.begun = true;
  EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(handler_.seen.joins, 0);
}

TEST_F(ServerStreamTest, AViewerWhoHasWaitedInVainMayAskForSomethingElse) {
  start();
  HttpClient client{endpoint_};
  client.send("GET /late.ts HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(waited(2));
  handler_.seen.late_ends = true;
  const auto refusal = client.read_page();
  EXPECT_THAT(refusal, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(refusal, HasSubstr("Retry-After: 5\r\n"));
  EXPECT_THAT(refusal, HasSubstr("too late\n"));
  EXPECT_THAT(client.read_page(), StartsWith("HTTP/1.1 200 OK")) << "the connection is usable";
}

TEST_F(ServerStreamTest, AViewerWhoWaitsHoldsASlotUntilTheyClose) {
  settings_.max_viewers = 1;
  start();
  HttpClient second{endpoint_};
  {
    HttpClient first{endpoint_};
    first.get("/late.ts");
    EXPECT_TRUE(waited(1));
    second.get("/late.ts");
    EXPECT_THAT(second.read_page(), HasSubstr("the server is full"));
  }
  EXPECT_TRUE(eventually([&] {
    second.get("/live.flv");
    const auto head = second.read_head();
    if (head.starts_with("HTTP/1.1 200 ")) return true;
    second.read_exactly(std::string_view{"the server is full: try again later\n"}.size());
    return false;
  }));
}

TEST_F(ServerStreamTest, WhoWaitsDoesNotDelayTheServersStop) {
  start();
  HttpClient client{endpoint_};
  client.get("/late.ts");
  EXPECT_TRUE(waited(1));
  server_->stop();
  EXPECT_TRUE(client.at_end());
}

TEST_F(ServerStreamTest, SendsAudioFramesWithTheNextFrame) {
  start();
  publish(frame(0, true));
  HttpClient client{endpoint_};
  client.send(kGet);
  client.read_head();
  client.read_chunked(kFrameBytes);
  publish(audio(0));
  publish(audio(1));
  publish(frame(1));
  EXPECT_THAT(client.read_exactly(5), "2f0\r\n") << "one chunk: 2 audio frames and a frame";
}

TEST_F(ServerStreamTest, SendsAudioFramesAloneIfNoFrameComes) {
  start();
  publish(frame(0, true));
  HttpClient client{endpoint_};
  client.send(kGet);
  client.read_head();
  client.read_chunked(kFrameBytes);
  publish(audio(0));
  EXPECT_EQ(client.read_chunked(188), text(audio(0)));
}

TEST_F(ServerStreamTest, SendsEachOf200ViewersExactlyWhatWasPublished) {
  start();
  std::vector<HttpClient> clients;
  for (int i = 0; i < 200; ++i) clients.emplace_back(endpoint_).send(kGet);
  ASSERT_TRUE(viewers_are(200));
  for (auto& client : clients) client.read_head();
  for (std::uint64_t n = 0; n < 50; ++n) {
    const auto packet = dense(n, n % 25 == 0, 1 + n % 30);
    std::string expected = text(packet);
    if (n % 2 == 1) {
      publish(dense_audio(n));
      expected = text(dense_audio(n)) + expected;
    }
    publish(packet);
    for (auto& client : clients) ASSERT_EQ(client.read_chunked(expected.size()), expected);
  }
  EXPECT_EQ(server_->state().frames_dropped, 0u);
  EXPECT_TRUE(eventually([&] { return handler_.seen.ticks == 200 * 50; }));
  EXPECT_EQ(handler_.seen.viewers.size(), 200u);
  EXPECT_EQ(handler_.seen.viewers.begin()->first, 1u);
}

TEST_F(ServerStreamTest, SendsNothingForAPacketWithoutBytes) {
  start();
  HttpClient client{endpoint_};
  client.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  client.read_head();
  publish(dense(0, true));
  publish(dense(1, true, 0));
  publish(dense(2, false));
  EXPECT_EQ(client.read_chunked(2 * kFrameBytes), text(dense(0, true)) + text(dense(2, false)));
}

TEST_F(ServerStreamTest, TicksAfterTheFrameHasDeparted) {
  start();
  HttpClient client{endpoint_};
  client.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  client.read_head();
  for (std::uint64_t n = 0; n < 10; ++n) {
    publish(dense(n, n == 0));
    client.read_chunked(kFrameBytes);
  }
  EXPECT_TRUE(eventually([&] { return handler_.seen.ticks == 10; }));
  EXPECT_EQ(handler_.seen.frames_ahead, 0);
}

TEST_F(ServerStreamTest, CallsAnObserverAtTheTimeItLastReturned) {
  handler_.seen.asks = true;
  start();
  HttpClient client{endpoint_};
  client.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  for (std::uint64_t n = 0; n < 5; ++n) publish(dense(n, n == 0));
  EXPECT_TRUE(eventually([&] { return handler_.seen.ticks == 5 && handler_.seen.dues > 0; }));
  std::this_thread::sleep_for(2 * FakeObserver::kSampleDelay);
  EXPECT_LE(handler_.seen.dues, 5) << "one, unless the ticks were as far apart as that";
  EXPECT_EQ(handler_.seen.early, 0);
}

TEST_F(ServerStreamTest, DoesNotCallAnObserverWhoseViewerHasLeft) {
  handler_.seen.asks = true;
  start();
  {
    HttpClient client{endpoint_};
    client.send(kGet);
    ASSERT_TRUE(viewers_are(1));
    publish(dense(0, true));
    ASSERT_TRUE(eventually([&] { return handler_.seen.ticks == 1; }));
  }
  EXPECT_TRUE(viewers_are(0));
  const int dues = handler_.seen.dues;  // 1 if a slow machine left too late, else 0
  std::this_thread::sleep_for(2 * FakeObserver::kSampleDelay);
  EXPECT_EQ(handler_.seen.dues, dues);
}

TEST_F(ServerStreamTest, CountsFramesForgottenBeforeTheirAcknowledgement) {
  handler_.seen.takes_frames = false;
  start();
  HttpClient client{endpoint_};
  client.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  client.read_head();
  for (std::uint64_t n = 0; n < server::SentFrames::kMaxFrames + 3; ++n) {
    publish(dense(n, n == 0));
    client.read_chunked(kFrameBytes);
  }
  EXPECT_TRUE(eventually([&] { return server_->state().frames_forgotten == 3; }));
}

TEST_F(ServerStreamTest, LimitsViewersInAll) {
  settings_.max_viewers = 2;
  start();
  HttpClient a{endpoint_};
  a.send(kGet);
  HttpClient b{endpoint_};
  b.send(kGet);
  ASSERT_TRUE(viewers_are(2));
  HttpClient c{endpoint_};
  c.get("/live.ts");
  const auto response = c.read_page();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(response, HasSubstr("Retry-After: "));
  a.shutdown();
  ASSERT_TRUE(viewers_are(1));
  c.get("/live.ts");
  EXPECT_THAT(c.read_head(), StartsWith("HTTP/1.1 200 "));
}

TEST_F(ServerStreamTest, AViewerWhoReceivesNothingMakesRoom) {
  settings_.max_viewers = 1;
  start();
  HttpClient idle{endpoint_};
  idle.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  HttpClient newcomer{endpoint_};
  ASSERT_TRUE(eventually([&] {
    newcomer.get("/live.ts");
    return newcomer.read_page().starts_with("HTTP/1.1 200 ");
  }));
  EXPECT_TRUE(left_by(server::LeaveReason::kEvicted));
  EXPECT_TRUE(is_reset(idle));
  const auto places = server_->state().places;
  const auto in_all = static_cast<std::size_t>(server::Places::Full::kInAll);
  EXPECT_GT(places.refused[in_all].times, 0u);
  EXPECT_EQ(places.evicted[in_all].times, 1u);
}

TEST_F(ServerStreamTest, WhoIsRefusedAnywayTakesNoPlace) {
  settings_.max_viewers = 1;
  start();
  HttpClient idle{endpoint_};
  idle.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  refuses_a_newcomer("/never.ts", "HTTP/1.1 404 ");
  EXPECT_EQ(viewers(), 1u);
}

TEST_F(ServerStreamTest, AViewerWhoTakesMediaKeepsTheirPlace) {
  settings_.max_viewers = 1;
  start();
  publish(dense(0, true, 250));  // 47 kB, which earns the place for 10 s
  HttpClient viewer{endpoint_};
  viewer.send(kGet);
  viewer.read_chunked(kFrameBytes);
  refuses_a_newcomer("/live.ts", "HTTP/1.1 503 ");
  EXPECT_EQ(viewers(), 1u);
}

TEST_F(ServerStreamTest, LimitsViewersPerAddress) {
  settings_.max_viewers_per_address = 1;
  settings_.listen = {*server::Endpoint::parse("[::]:0")};
  start();
  endpoint_.address = *server::Address::parse("127.0.0.1");
  HttpClient a{endpoint_};
  a.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  HttpClient b{endpoint_};
  b.send(kGet);
  EXPECT_THAT(b.read_page(), HasSubstr("too many viewers from your address"));
  endpoint_.address = *server::Address::parse("::1");
  HttpClient c{endpoint_};
  c.send(kGet);
  EXPECT_TRUE(viewers_are(2));
}

TEST_F(ServerStreamTest, DoesNotLimitViewersOfATrustedProxyThatNamesThem) {
  settings_.max_viewers_per_address = 1;
  settings_.trusted_proxies = {*server::Network::parse("127.0.0.1")};
  start();
  const auto view = [&](HttpClient& client, const std::string& address) {
    client.get("/live.ts", "X-Forwarded-For: " + address + "\r\n");
  };
  HttpClient a{endpoint_};
  view(a, "192.0.2.1");
  ASSERT_TRUE(viewers_are(1));
  HttpClient b{endpoint_};
  view(b, "192.0.2.2");
  ASSERT_TRUE(viewers_are(2));
  HttpClient c{endpoint_};
  view(c, "192.0.2.2");
  EXPECT_THAT(c.read_page(), HasSubstr("too many viewers from your address"));
  EXPECT_EQ(handler_.seen.requests.at(1).client.address.text(), "192.0.2.1");
}

TEST_F(ServerStreamTest, AsksProxiesNotToCollectEndlessResponses) {
  start();
  publish(frame(0, true));
  HttpClient client{endpoint_};
  client.get("/live.ts");
  EXPECT_THAT(client.read_head(), HasSubstr("\r\nX-Accel-Buffering: no\r\n"));
}

TEST_F(ServerStreamTest, NoticesAtOnceWhenAViewerLeaves) {
  start();
  {
    HttpClient client{endpoint_};
    client.send(kGet);
    ASSERT_TRUE(viewers_are(1));
  }
  EXPECT_TRUE(left_by(LeaveReason::kClosedByViewer));
  EXPECT_TRUE(viewers_are(0));
}

TEST_F(ServerStreamTest, ClosesAViewerThatSendsWithoutEnd) {
  start();
  HttpClient client{endpoint_};
  client.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  client.send(std::string(1'000'000, 'x'));
  EXPECT_TRUE(left_by(LeaveReason::kSocketError));
}

TEST_F(ServerStreamTest, SkipsASlowReaderToKeyframes) {
  settings_.queue = milliseconds{330};
  start();
  HttpClient client{endpoint_, 4096};
  client.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  client.read_head();
  std::uint64_t n = 0;
  ASSERT_TRUE(eventually([&] {
    for (int i = 0; i < 4; ++i, ++n) publish(frame(n, n % 8 == 0, 0, 300));
    return server_->state().gops_dropped >= 3;
  }));
  std::string stream;
  std::jthread reader{[&] { stream = client.read_chunked(1'000'000'000); }};
  for (const auto end = n + 50; n < end; ++n) {
    publish(frame(n, n % 8 == 0, 0, 300));
    std::this_thread::sleep_for(milliseconds{2});
  }
  ASSERT_TRUE(viewers_are(1));
  server_->close_channel(kChannel);
  reader.join();
  EXPECT_TRUE(client.ended());
  EXPECT_EQ(stream.size() % 188, 0u);
  const auto numbers = frame_numbers_of(stream);
  std::size_t skips = 0;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] == numbers[i - 1] + 1) continue;
    ++skips;
    EXPECT_EQ(numbers[i] % 8, 0u) << "a skip ends at a keyframe";
  }
  EXPECT_GE(skips, 1u);
}

TEST_F(ServerStreamTest, ClosesAReaderThatHasStopped) {
  settings_.stall_timeout = milliseconds{400};
  start();
  HttpClient client{endpoint_, 4096};
  client.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  std::uint64_t n = 0;
  EXPECT_TRUE(eventually([&] {
    publish(frame(n, n % 8 == 0, 0, 300));
    ++n;
    return viewers() == 0;
  }));
  EXPECT_TRUE(left_by(LeaveReason::kStalled));
  EXPECT_TRUE(eventually([&] { return handler_.seen.leaves == 1; }));
}

TEST_F(ServerStreamTest, KeepsAViewerOfASilentChannel) {
  settings_.stall_timeout = milliseconds{300};
  start();
  publish(frame(0, true));
  HttpClient client{endpoint_};
  client.send(kGet);
  client.read_head();
  client.read_chunked(kFrameBytes);
  std::this_thread::sleep_for(2 * settings_.stall_timeout);
  EXPECT_EQ(viewers(), 1u);
}

TEST_F(ServerStreamTest, MovesAViewerWithoutAGap) {
  start();
  HttpClient client{endpoint_};
  client.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  client.read_head();
  for (std::uint64_t n = 0; n < 30; ++n) {
    if (n == 10) server_->move_viewer(1, kOther, 15 * kFrame);
    if (n == 20) server_->close_channel(kChannel);
    if (n < 20) publish(frame(n, n == 0, 1));
    publish(frame(n, n == 0 || n == 16, 2), kOther);
  }
  std::string expected;
  for (std::uint64_t n = 0; n < 30; ++n) {
    if (n == 16) {
      const auto splice = media::ts_splice(frame(n, true, 2)->ts);
      expected.append(splice.begin(), splice.end());
    }
    expected += text(frame(n, false, n < 16 ? 1 : 2));
  }
  EXPECT_TRUE(client.read_chunked(expected.size()) == expected);
  EXPECT_EQ(server_->state().switches, 1u);
  EXPECT_TRUE(eventually([&] {
    std::lock_guard lock{handler_.seen.mutex};
    const auto& viewer = handler_.seen.viewers[1];
    return viewer.channel == kOther && viewer.switches == 1;
  }));
}

TEST_F(ServerStreamTest, MovesAViewerThatHasReceivedNothingYet) {
  start();
  HttpClient client{endpoint_};
  client.send(kGet);
  ASSERT_TRUE(viewers_are(1));
  client.read_head();
  server_->move_viewer(1, kOther, 100 * kFrame);
  publish(frame(7, true, 2), kOther);
  EXPECT_EQ(client.read_chunked(kFrameBytes), text(frame(7, true, 2)));
}

TEST_F(ServerStreamTest, EndsTheViewersOfAClosedChannel) {
  start();
  publish(frame(0, true));
  HttpClient client{endpoint_};
  client.send(kGet);
  client.read_head();
  client.read_chunked(kFrameBytes);
  server_->close_channel(kChannel);
  EXPECT_EQ(client.read_chunked(1), "");
  EXPECT_TRUE(client.ended());
  EXPECT_TRUE(client.at_end());
  EXPECT_TRUE(left_by(LeaveReason::kStreamGone));
}

TEST_F(ServerStreamTest, EndsEveryResponseWhenItStops) {
  settings_.stall_timeout = std::chrono::hours{1};
  start();
  publish(frame(0, true));
  std::vector<HttpClient> clients;
  for (int i = 0; i < 10; ++i) {
    clients.emplace_back(endpoint_).send(kGet);
  }
  HttpClient stuck{endpoint_, 4096};
  stuck.send(kGet);
  ASSERT_TRUE(viewers_are(11));
  // The sockets of the ten take all of this, that of the stuck one does not.
  for (std::uint64_t n = 1; n < 100; ++n) publish(dense(n, n % 8 == 0));
  ASSERT_TRUE(eventually([&] { return handler_.seen.ticks >= 10 * 100; }));
  server_->stop();
  for (auto& client : clients) {
    client.read_head();
    client.read_chunked(1'000'000'000);
    EXPECT_TRUE(client.ended());
  }
  EXPECT_EQ(handler_.seen.leaves, 11);
  publish(frame(999, true));  // must have no effect
  EXPECT_EQ(server_->state().left[static_cast<std::size_t>(LeaveReason::kShutdown)], 11u);
}

TEST_F(ServerStreamTest, SetsSocketOptions) {
  start();
  publish(frame(0, true));
  HttpClient client{endpoint_};
  client.send(kGet);
  client.read_head();
  EXPECT_EQ(client.read_chunked(kFrameBytes), text(frame(0)));
  EXPECT_EQ(handler_.seen.nodelay, 1);
  // The kernel gives up well after the server, so that the server records `stalled`.
  EXPECT_EQ(milliseconds{handler_.seen.user_timeout},
            settings_.stall_timeout + std::chrono::seconds{5});
}

TEST_F(ServerStreamTest, SpreadsConnectionsOverTheLoops) {
  settings_.threads = 4;
  start();
  std::vector<HttpClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(endpoint_).get("/thread");
    clients.back().read_page();
  }
  EXPECT_EQ(handler_.seen.threads.size(), 4u);
}

}  // namespace
