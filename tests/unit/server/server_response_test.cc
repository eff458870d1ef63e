#include <gmock/gmock.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "http_client.h"
#include "packets.h"
#include "running_server.h"

namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ServerResponseTest : public RunningServer {
 protected:
  ServerResponseTest() { start(); }

  bool waiting(int responses) {
    return eventually([&] { return handler_.seen.responses == responses; });
  }
  void publish(std::uint32_t stream) { server_->publish({stream, 0}, packets::frame(1, true)); }
};

TEST_F(ServerResponseTest, ContinuesAtAPacketOfItsStream) {
  HttpClient client{endpoint_};
  client.get("/packet");
  EXPECT_THAT(client.read_head(), HasSubstr("Transfer-Encoding: chunked"));
  EXPECT_EQ(client.read_chunked(5), "begun");
  publish(1);
  publish(0);
  EXPECT_EQ(client.read_chunked(100), "ended");
  EXPECT_TRUE(client.ended());
}

TEST_F(ServerResponseTest, IgnoresAPacketOfAnotherStream) {
  HttpClient client{endpoint_};
  client.get("/packet");
  client.read_head();
  client.read_chunked(5);
  publish(1);
  std::this_thread::sleep_for(std::chrono::milliseconds{100});
  EXPECT_EQ(handler_.seen.responses, 1);
}

TEST_F(ServerResponseTest, ContinuesAtItsTime) {
  HttpClient client{endpoint_};
  const auto begin = base::Clock::now();
  client.get("/time");
  client.read_head();
  EXPECT_EQ(client.read_chunked(10), "begunended");
  EXPECT_GE(base::Clock::now() - begin, std::chrono::milliseconds{100});
}

TEST_F(ServerResponseTest, ContinuesWhenItsCountChanges) {
  HttpClient client{endpoint_};
  client.get("/change");
  client.read_head();
  EXPECT_EQ(client.read_chunked(5), "begun");
  std::this_thread::sleep_for(std::chrono::milliseconds{100});
  EXPECT_EQ(handler_.seen.responses, 1);
  ++handler_.seen.changes;
  EXPECT_EQ(client.read_chunked(100), "ended");
}

TEST_F(ServerResponseTest, TheConnectionServesTheNextRequest) {
  HttpClient client{endpoint_};
  client.send("GET /time HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
  client.read_head();
  EXPECT_EQ(client.read_chunked(100), "begunended");
  EXPECT_THAT(client.read_page(), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(ServerResponseTest, MayGiveItsConnectionAStateAfterAWait) {
  HttpClient client{endpoint_};
  client.get("/state");
  EXPECT_THAT(client.read_page(), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_TRUE(eventually([&] { return handler_.seen.state_ticks > 1; }));
}

TEST_F(ServerResponseTest, EndsWithItsClient) {
  {
    HttpClient client{endpoint_};
    client.get("/packet");
    client.read_head();
    EXPECT_TRUE(waiting(1));
  }
  EXPECT_TRUE(waiting(0));
}

TEST_F(ServerResponseTest, EndsWithTheServer) {
  HttpClient client{endpoint_};
  client.get("/packet");
  client.read_head();
  EXPECT_TRUE(waiting(1));
  server_->stop();
  EXPECT_EQ(handler_.seen.responses, 0);
}

TEST_F(ServerResponseTest, ClosesAReaderThatTakesNothing) {
  settings_.stall_timeout = std::chrono::milliseconds{300};
  start();
  HttpClient client{endpoint_, 4096};
  client.get("/endless");
  client.read_head();
  EXPECT_TRUE(waiting(1));
  EXPECT_TRUE(waiting(0));
}

TEST_F(ServerResponseTest, ResetsAReaderThatTakesTooLongForASegment) {
  HttpClient client{endpoint_, 4096};
  client.get("/expiring");
  EXPECT_TRUE(is_reset(client));
  EXPECT_EQ(too_slow(server::TooSlow::kExpired), 1u);
}

TEST_F(ServerResponseTest, ClosesAClientThatSendsManyRequestsBehindAWaitingOne) {
  HttpClient client{endpoint_};
  client.get("/late.ts");
  ASSERT_TRUE(eventually([&] { return handler_.seen.waits > 0; }));
  for (int i = 0; i < 20; ++i) client.get("/", "X: " + std::string(1000, 'x') + "\r\n");
  EXPECT_TRUE(eventually([&] {
    char byte = 0;
    const auto got = recv(client.fd(), &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno == ECONNRESET);
  }));
}

TEST_F(ServerResponseTest, KeepsAReaderThatTakesEverything) {
  settings_.stall_timeout = std::chrono::milliseconds{400};
  start();
  HttpClient client{endpoint_};
  client.get("/endless");
  client.read_head();
  base::Duration longest_pause{};
  const auto begin = base::Clock::now();
  for (auto last = begin; last - begin < 3 * settings_.stall_timeout;) {
    client.read_chunked(EndlessResponse::kSize / 100);
    longest_pause =
        std::max(longest_pause, base::Clock::now() - std::exchange(last, base::Clock::now()));
  }
  // On a busy machine the reader may have paused, and been closed rightly.
  EXPECT_TRUE(handler_.seen.responses == 1 || longest_pause > settings_.stall_timeout / 2);
}

TEST_F(ServerResponseTest, AFullSocketDoesNotDelayTheServersStop) {
  HttpClient client{endpoint_, 4096};
  client.get("/endless");
  client.read_head();
  server_->stop();
  EXPECT_EQ(handler_.seen.responses, 0);
}

TEST_F(ServerResponseTest, ReportsAndLogsARequestThatTheHandlerFails) {
  testing::internal::CaptureStderr();
  HttpClient client{endpoint_};
  client.get("/throws?a=b");
  const auto response = client.read_page();
  const auto log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(response,
              EndsWith("\r\n\r\nthe server could not answer this request: see its log\n"));
  EXPECT_THAT(log, HasSubstr("request_failed path=/throws error=\"no answer\" times=1\n"));
  EXPECT_THAT(log, Not(HasSubstr("admission_failed")));
  client.get("/");
  EXPECT_THAT(client.read_page(), StartsWith("HTTP/1.1 200 OK")) << "the connection is usable";
}

}  // namespace
