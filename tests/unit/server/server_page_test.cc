#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "http_client.h"
#include "running_server.h"
#include "server/listen.h"
#include "server/output_account.h"

namespace {

using server::Endpoint;
using server::Network;
using server::TooSlow;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ServerPageTest : public RunningServer {
 protected:
  /// The whole response to one request on a new connection.
  std::string ask(const std::string& request) {
    HttpClient client{endpoint_};
    client.send(request);
    return client.read_page();
  }
};

/// Of this process, in which the server runs.
std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {});
}

/// A client that pipelines requests without end, and reads the responses as fast as they come.
class Flood {
 public:
  explicit Flood(const Endpoint& to) : client_{to} {}
  ~Flood() { ::shutdown(client_.fd(), SHUT_RDWR); }

  bool flows() const { return received_ > 100'000; }

 private:
  static std::string many_requests() {
    std::string requests;
    for (int i = 0; i < 2000; ++i) requests += "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    return requests;
  }

  HttpClient client_;
  std::atomic<std::size_t> received_{0};  ///< bytes
  const std::string requests_ = many_requests();
  std::jthread reader_{[this] {
    for (std::size_t got = 1; got > 0; received_ += got) got = client_.read_exactly(65536).size();
  }};
  std::jthread sender_{[this](const std::stop_token& stop) {
    while (!stop.stop_requested()) client_.send(requests_);
  }};
};

TEST_F(ServerPageTest, AnswersAPage) {
  start();
  const auto response = ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(response, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(response, EndsWith("\r\n\r\nhello\n"));
}

TEST_F(ServerPageTest, SendsAPageWithItsFieldsAndCoding) {
  start();
  const auto response = ask("GET /lasting HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n");
  EXPECT_THAT(response, HasSubstr("Cache-Control: max-age=60\r\n"));
  EXPECT_THAT(response, HasSubstr("Vary: Accept-Encoding\r\n"));
  EXPECT_THAT(response, EndsWith("packed"));
}

TEST_F(ServerPageTest, RejectsBadRequestsWithAReason) {
  start();
  EXPECT_THAT(ask("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(ask("GET /nothing.ts HTTP/1.1\r\nHost: x\r\n\r\n"),
              EndsWith("\r\n\r\nno stream \"nothing\"\n"));
  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: x\r\n\r\n"),
              HasSubstr("\r\nAllow: GET, HEAD, OPTIONS\r\n"));
  EXPECT_THAT(ask("GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(9000, 'a')),
              StartsWith("HTTP/1.1 431 "));
  const auto responses = server_->state().responses;
  EXPECT_EQ(responses[404], 2u);
  EXPECT_EQ(responses[400], 2u);
  EXPECT_EQ(responses[405], 1u);
  EXPECT_EQ(responses[431], 1u);
}

TEST_F(ServerPageTest, AnswersTheAbsoluteFormInAnyCase) {
  start();
  for (const char* target :
       {"http://x/", "HTTP://x:80/", "https://x/", "hTtPs://x", "http://x?a"}) {
    EXPECT_THAT(ask("GET " + std::string{target} + " HTTP/1.1\r\nHost: x\r\n\r\n"),
                EndsWith("\r\n\r\nhello\n"))
        << target;
  }
}

TEST_F(ServerPageTest, LetsPagesOfAllowedOriginsReadErrors) {
  settings_.cors_allow = {*server::Origin::parse("https://a.example")};
  start();
  constexpr const char* kAllowed = "\r\nAccess-Control-Allow-Origin: https://a.example\r\n";
  const auto fetch = [&](const std::string& path, const std::string& origin) {
    return ask("GET " + path + " HTTP/1.1\r\nHost: x\r\nOrigin: https://" + origin + "\r\n\r\n");
  };
  EXPECT_THAT(fetch("/nothing", "a.example"), HasSubstr(kAllowed));     // 404 of a page
  EXPECT_THAT(fetch("/nothing.ts", "a.example"), HasSubstr(kAllowed));  // 404 of a stream
  EXPECT_THAT(fetch("/broken.ts", "a.example"), HasSubstr(kAllowed));   // 503 of a stream
  EXPECT_THAT(fetch("/throws", "a.example"), HasSubstr(kAllowed));      // 503 of a response
  EXPECT_THAT(fetch("/%00", "a.example"), HasSubstr(kAllowed));         // 400
  EXPECT_THAT(fetch("/nothing", "b.example"), Not(HasSubstr("Access-Control-Allow-Origin")));
  EXPECT_THAT(fetch("/", "a.example"), Not(HasSubstr("Access-Control-Allow-Origin")));
}

TEST_F(ServerPageTest, DoesNotLetOtherOriginsReadWhoIsAnAdmin) {
  settings_.cors_allow = {*server::Origin::parse("*")};
  settings_.admin_allow = {};
  start();
  const auto response = ask("GET /admin HTTP/1.1\r\nHost: x\r\nOrigin: https://a.example\r\n\r\n");
  EXPECT_THAT(response, StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(response, Not(HasSubstr("Access-Control-Allow-Origin")));
}

TEST_F(ServerPageTest, TellsOtherOriginsNothingOfAdminPages) {
  settings_.cors_allow = {*server::Origin::parse("*")};
  start();
  const auto options = [&](const std::string& path) {
    return ask("OPTIONS " + path + " HTTP/1.1\r\nHost: x\r\nOrigin: https://a.example\r\n\r\n");
  };
  EXPECT_THAT(options("/"), HasSubstr("Access-Control-Allow-Origin: *"));
  EXPECT_THAT(options("/admin"), Not(HasSubstr("Access-Control-")));
  EXPECT_THAT(options("/for-admins"), Not(HasSubstr("Access-Control-")));
  EXPECT_THAT(ask("GET /for-admins HTTP/1.1\r\nHost: x\r\nOrigin: https://a.example\r\n\r\n"),
              Not(HasSubstr("Access-Control-")))
      << "404";
}

TEST_F(ServerPageTest, ProtectsAllThatIsNotMedia) {
  start();
  for (const char* path : {"/", "/admin", "/nothing", "/nothing.ts", "/%00"}) {
    const auto response = ask("GET " + std::string{path} + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(response, HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n")) << path;
    EXPECT_THAT(response, HasSubstr("\r\nContent-Security-Policy: frame-ancestors 'none'\r\n"));
    EXPECT_THAT(response, HasSubstr("\r\nCross-Origin-Resource-Policy: same-origin\r\n"));
  }
  EXPECT_THAT(ask("HEAD /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
              Not(HasSubstr("Cross-Origin-Resource-Policy")));
}

TEST_F(ServerPageTest, DeliversTheReasonToAClientThatStillSends) {
  start();
  HttpClient client{endpoint_};
  client.send("GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(60'000, 'a'));
  EXPECT_THAT(client.read_to_end(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(ServerPageTest, ShowsAdminPagesToAdminsOnly) {
  start();
  EXPECT_THAT(ask("GET /admin HTTP/1.1\r\nHost: x\r\n\r\n"), EndsWith("secret\n"));
  settings_.admin_allow = {*Network::parse("192.0.2.0/24")};
  start();
  EXPECT_THAT(ask("GET /admin HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(ask("GET /%61dmin HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(ask("GET //admin HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
}

TEST_F(ServerPageTest, HidesAdminPagesFromRebindingSitesAndUnknownProxies) {
  start();
  EXPECT_THAT(ask("GET /admin HTTP/1.1\r\nHost: evil.example\r\n\r\n"), HasSubstr("admin.hosts"));
  EXPECT_THAT(ask("GET /admin HTTP/1.1\r\nHost: x\r\nOrigin: http://evil.example\r\n\r\n"),
              StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(ask("GET /admin HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 127.0.0.1\r\n\r\n"),
              HasSubstr("server.trusted_proxies"));
  EXPECT_THAT(ask("GET /admin HTTP/1.0\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 403 "));
  const std::string loaded = "GET /admin HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: cross-site\r\n";
  EXPECT_THAT(ask(loaded + "\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(ask(loaded + "Sec-Fetch-Dest: iframe\r\n\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(ask(loaded + "Sec-Fetch-Dest: document\r\n\r\n"), EndsWith("secret\n"))
      << "a person has followed a link";
  EXPECT_EQ(server_->state().unknown_proxy_requests, 2u);
}

TEST_F(ServerPageTest, ReadsTheProxyProtocolOfProxiesThatSendIt) {
  settings_.proxy_protocol = {*Network::parse("127.0.0.1")};
  start();
  const std::string request = "GET /admin HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string stranger = "PROXY TCP4 192.0.2.1 127.0.0.1 4711 8080\r\n";
  EXPECT_THAT(ask(stranger + request), HasSubstr("192.0.2.1 is not in admin.allow"));
  EXPECT_THAT(ask("PROXY TCP4 127.0.0.9 127.0.0.1 4711 8080\r\n" + request), EndsWith("secret\n"));
  EXPECT_THAT(ask("PROXY TCP4 nobody\r\n" + request), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask(request), StartsWith("HTTP/1.1 400 ")) << "the client could write the header";
  EXPECT_THAT(ask("PROXY UNKNOWN\r\n" + request), HasSubstr("(PROXY)")) << "nobody knows whose";
  const std::string claim = "GET /admin HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 127.0.0.9\r\n\r\n";
  EXPECT_THAT(ask("PROXY UNKNOWN\r\n" + claim), StartsWith("HTTP/1.1 403 "));
  EXPECT_EQ(server_->state().trusted_proxy_requests, 2u);
  HttpClient in_pieces{endpoint_};
  for (const char byte : stranger + request) in_pieces.send(std::string{byte});
  EXPECT_THAT(in_pieces.read_page(), HasSubstr("192.0.2.1 is not in admin.allow"));
}

TEST_F(ServerPageTest, BelievesTheProxyProtocolOnlyOfProxiesThatSendIt) {
  settings_.trusted_proxies = {*Network::parse("127.0.0.1")};
  start();
  EXPECT_THAT(
      ask("PROXY TCP4 127.0.0.9 127.0.0.1 4711 8080\r\nGET /admin HTTP/1.1\r\nHost: x\r\n\r\n"),
      StartsWith("HTTP/1.1 400 "));
}

TEST_F(ServerPageTest, SendsNoBodyForHead) {
  start();
  HttpClient client{endpoint_};
  client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.read_head(), HasSubstr("Content-Length: 6\r\n"));
  EXPECT_THAT(client.read_page(), EndsWith("hello\n"));
}

TEST_F(ServerPageTest, KeepsAConnectionForPipelinedRequests) {
  start();
  HttpClient client{endpoint_};
  std::string requests;
  for (int i = 0; i < 500; ++i) requests += "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  client.send(requests);
  for (int i = 0; i < 500; ++i) ASSERT_THAT(client.read_page(), EndsWith("hello\n")) << i;
  EXPECT_EQ(server_->state().connections, 1u);
}

TEST_F(ServerPageTest, AFloodOfPipelinedRequestsDoesNotStarveOthers) {
  settings_.threads = 1;
  start();
  Flood flood{endpoint_};
  ASSERT_TRUE(eventually([&] { return flood.flows(); }));
  for (int i = 0; i < 10; ++i) {
    ASSERT_THAT(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), EndsWith("hello\n"));
  }
}

TEST_F(ServerPageTest, SlowsAnAddressThatSendsManyRequests) {
  settings_.threads = 1;
  start();
  Flood flood{endpoint_};
  ASSERT_TRUE(eventually([&] { return server_->state().requests_slowed > 0; }));
  const auto answered = server_->state().responses[200];
  EXPECT_TRUE(eventually([&] { return server_->state().responses[200] > answered + 100; }))
      << "none is refused";
}

TEST_F(ServerPageTest, ResponsesLeaveHalfOfTheLoopsTime) {
  settings_.threads = 1;
  start();
  HttpClient client{endpoint_};
  for (int i = 0; i < 1000; ++i) client.get("/large");
  const auto begin = base::Clock::now();
  ssize_t got = 1;
  while (got > 0 && base::Clock::now() < begin + seconds{1}) {
    got = ::recv(client.fd(), nullptr, 1 << 20, MSG_TRUNC);  // without a copy, faster than the loop
  }
  const auto written = server_->state().writing;
  const auto share = base::seconds(written) / base::seconds(base::Clock::now() - begin);
  EXPECT_GT(got, 0);
  EXPECT_GT(share, 0.01);
  EXPECT_LT(share, 0.6);
}

TEST_F(ServerPageTest, BoundsWhatIsLeftUnread) {
  constexpr int kReaders = 60;
  constexpr std::int64_t kMiB = 1 << 20;
  constexpr std::int64_t kOneWrite = 192 * 1024;  // the socket's limit, and a buffer more
  settings_.max_unread = base::ByteCount{4 * kMiB};
  start();
  std::deque<HttpClient> readers;
  for (int i = 0; i < kReaders; ++i) readers.emplace_back(endpoint_).get("/large");
  ASSERT_TRUE(eventually([&] { return server_->state().responses_delayed > kReaders / 2; }));
  EXPECT_LE(server_->state().unread,
            kMiB + kReaders * server::OutputAccount::kLeast.bytes() + kOneWrite);
  EXPECT_THAT(readers.front().read_head(), HasSubstr("Content-Length: 20000000\r\n"));
  EXPECT_EQ(readers.front().read_exactly(kMiB).size(), kMiB) << "a client that reads goes on";
  while (readers.size() > 1) readers.pop_back();
  EXPECT_EQ(readers.front().read_exactly(20'000'000 - kMiB).size(), 20'000'000 - kMiB);
  EXPECT_TRUE(eventually([&] { return server_->state().unread == 0; })) << "it is given back";
}

TEST_F(ServerPageTest, StopsInAFloodOfPipelinedRequests) {
  settings_.threads = 1;
  start();
  Flood flood{endpoint_};
  ASSERT_TRUE(eventually([&] { return flood.flows(); }));
  server_->stop();
}

TEST_F(ServerPageTest, IsNotAliveWhileALoopHangs) {
  const auto alive_in = [this](milliseconds later) {
    return server_->alive(base::Clock::now() + later);
  };
  const auto begin = base::Clock::now();
  start();
  HttpClient client{endpoint_};
  client.get("/hang");
  EXPECT_TRUE(eventually([&] { return !alive_in(milliseconds{4800}); }));
  EXPECT_TRUE(server_->alive(begin + milliseconds{4999}));
  EXPECT_FALSE(alive_in(milliseconds{5000}));
  hang_ = false;
  hang_.notify_all();
  EXPECT_TRUE(eventually([&] { return alive_in(milliseconds{4900}); }));
}

TEST_F(ServerPageTest, KeepsPipelinedRequestsBehindALargePage) {
  start();
  HttpClient client{endpoint_};
  client.get("/large");
  client.get("/");
  EXPECT_THAT(client.read_head(), HasSubstr("Content-Length: 20000000\r\n"));
  client.get("/");
  EXPECT_EQ(client.read_exactly(20'000'000).size(), 20'000'000u);
  EXPECT_THAT(client.read_page(), EndsWith("hello\n"));
  EXPECT_THAT(client.read_page(), EndsWith("hello\n"));
}

TEST_F(ServerPageTest, ManyRequestsOfOneClientLetOthersHaveTheirTurn) {
  settings_.threads = 1;
  start();
  HttpClient eager{endpoint_}, other{endpoint_}, hanging{endpoint_};
  for (auto* client : {&eager, &other}) {
    client->get("/");
    client->read_page();
  }
  hanging.get("/hang");
  ASSERT_TRUE(eventually([&] { return hangs_.load(); }));
  for (int i = 0; i < 100; ++i) eager.get("/eager");
  other.get("/other");
  hang_ = false;
  hang_.notify_all();
  EXPECT_THAT(other.read_page(), StartsWith("HTTP/1.1 404"));
  for (int i = 0; i < 100; ++i) EXPECT_THAT(eager.read_page(), StartsWith("HTTP/1.1 404"));
  std::lock_guard lock{handler_.seen.mutex};
  const auto& paths = handler_.seen.paths;
  EXPECT_EQ(paths.size(), 101u);
  EXPECT_LT(std::ranges::find(paths, "/other") - paths.begin(), 10);
}

TEST_F(ServerPageTest, ClosesWhenAskedAndAfterHttp10) {
  start();
  HttpClient asked{endpoint_};
  asked.get("/", "Connection: close\r\n");
  EXPECT_THAT(asked.read_page(), HasSubstr("Connection: close"));
  EXPECT_TRUE(asked.at_end());
  HttpClient old{endpoint_};
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.read_to_end(), EndsWith("hello\n"));
}

TEST_F(ServerPageTest, ClosesAConnectionWhoseHeaderTrickles) {
  settings_.header_timeout = milliseconds{300};
  start();
  HttpClient client{endpoint_};
  std::jthread trickle{[&](const std::stop_token& stop) {
    client.send("GET / HTTP/1.1\r\nX: ");
    while (!stop.stop_requested()) {
      client.send("y");
      std::this_thread::sleep_for(milliseconds{20});
    }
  }};
  EXPECT_THAT(client.read_page(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(ServerPageTest, ClosesASilentConnection) {
  settings_.header_timeout = milliseconds{300};
  start();
  HttpClient client{endpoint_};
  EXPECT_TRUE(client.at_end());
}

TEST_F(ServerPageTest, ClosesAConnectionThatDoesNotReadItsPage) {
  settings_.stall_timeout = milliseconds{300};
  start();
  const auto before = open_descriptors();
  HttpClient client{endpoint_, 4096};
  client.get("/large");
  ASSERT_TRUE(eventually([&] { return open_descriptors() == before + 2; })) << "both ends";
  EXPECT_TRUE(eventually([&] { return open_descriptors() == before + 1; })) << "only the client's";
  EXPECT_LT(client.read_to_end().size(), 20'000'000u);
}

TEST_F(ServerPageTest, ResetsAConnectionThatDoesNotReadItsPage) {
  settings_.stall_timeout = milliseconds{300};
  start();
  testing::internal::CaptureStderr();
  HttpClient client{endpoint_, 4096};
  client.get("/large");
  EXPECT_TRUE(is_reset(client));
  EXPECT_EQ(too_slow(TooSlow::kStalled), 1u);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("responses_too_slow address=127.0.0.1 reason=stalled times=1 hint="));
}

TEST_F(ServerPageTest, ResetsAConnectionThatDoesNotReadWhatTheKernelHasTaken) {
  settings_.stall_timeout = milliseconds{300};
  start();
  HttpClient idle{endpoint_, 4096};
  idle.get("/small");
  HttpClient closing{endpoint_, 4096};
  closing.get("/small", "Connection: close\r\n");
  EXPECT_TRUE(is_reset(idle));
  EXPECT_TRUE(is_reset(closing));
  EXPECT_EQ(too_slow(TooSlow::kStalled), 2u);
}

TEST_F(ServerPageTest, ResetsAConnectionThatReadsTooSlowly) {
  settings_.stall_timeout = std::chrono::seconds{1};
  settings_.min_rate = base::BitRate::mbps(1000);
  start();
  HttpClient client{endpoint_, 4096};
  client.get("/large");
  std::jthread reader{[&](const std::stop_token& stop) {
    while (!stop.stop_requested() && !client.read_exactly(1000).empty()) {
      std::this_thread::sleep_for(milliseconds{10});
    }
  }};
  EXPECT_TRUE(eventually([&] {  // a busy machine may pause the reader
    return too_slow(TooSlow::kRate) + too_slow(TooSlow::kStalled) == 1;
  }));
}

TEST_F(ServerPageTest, TheKernelHoldsLittleForAClientThatDoesNotRead) {
  start();
  HttpClient client{endpoint_, 4096};
  client.get("/large");
  const auto taken = [&] { return server_->state().bytes_sent; };
  ASSERT_TRUE(eventually([&] { return taken() > 0; }));
  for (auto before = taken();;) {
    std::this_thread::sleep_for(milliseconds{100});
    if (before == std::exchange(before, taken())) break;
  }
  EXPECT_LT(taken(), 256u * 1024);
}

TEST_F(ServerPageTest, ItsReadersShareOnePage) {
  start();
  const auto before = large_.owner.use_count();
  std::vector<HttpClient> clients;
  for (int i = 0; i < 10; ++i) clients.emplace_back(endpoint_, 4096).get("/large");
  EXPECT_TRUE(eventually([&] { return large_.owner.use_count() == before + 10; }));
}

TEST_F(ServerPageTest, ListensOnIpv6AndIpv4AtOnce) {
  settings_.listen = {*Endpoint::parse("[::]:0")};
  start();
  endpoint_.address = *server::Address::parse("::1");
  EXPECT_THAT(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), EndsWith("hello\n"));
  endpoint_.address = *server::Address::parse("127.0.0.1");
  EXPECT_THAT(ask("GET /admin HTTP/1.1\r\nHost: x\r\n\r\n"), EndsWith("secret\n"));
}

TEST_F(ServerPageTest, NamesTheEndpointItCannotBind) {
  start();
  settings_.listen = {endpoint_};
  try {
    server::listen_on(settings_.listen);
    FAIL() << "two servers on one port";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("listen on " + endpoint_.text()));
    EXPECT_THAT(error.what(), HasSubstr(fmt::format("ss -ltnp 'sport = :{}'", endpoint_.port)));
  }
}

TEST_F(ServerPageTest, SaysThatNoInterfaceHasTheAddress) {
  try {
    server::listen_on({*Endpoint::parse("192.0.2.1:8080")});
    FAIL() << "192.0.2.0/24 is for documentation";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("no interface of this machine has this address"));
  }
}

TEST_F(ServerPageTest, RecoversFromRunningOutOfDescriptors) {
#ifdef SYMCAST_SANITIZED
  GTEST_SKIP() << "UBSan's vptr check opens a pipe, and reports a false error when it cannot";
#endif
  start();
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  std::vector<HttpClient> clients;
  for (int i = 0; i < 20; ++i) clients.emplace_back(endpoint_);
  ASSERT_TRUE(eventually([&] { return server_->state().connections == 20; }));
  HttpClient late{endpoint_};
  ASSERT_TRUE(eventually([&] { return server_->state().connections == 21; }));
  // From here on no descriptor is free. The clients already have theirs.
  const base::UniqueFd probe{dup(0)};
  const rlimit none{static_cast<rlim_t>(probe.get()), limit.rlim_max};
  const base::UniqueFd waiting{socket(AF_INET, SOCK_STREAM, 0)};
  setrlimit(RLIMIT_NOFILE, &none);
  const auto address = endpoint_.socket_address();
  EXPECT_EQ(connect(waiting.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_TRUE(eventually([&] { return server_->state().accept_failures > 0; }));
  EXPECT_EQ(server_->state().connections, 21u);
  late.get("/");
  EXPECT_THAT(late.read_page(), EndsWith("hello\n"));
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_TRUE(eventually([&] { return server_->state().connections == 22; }));
}

TEST_F(ServerPageTest, CountsRefusedConnections) {
  settings_.max_viewers_per_address = 1;
  start();
  const auto state = [this] { return server_->state(); };
  const int most = settings_.max_connections_per_address();
  EXPECT_EQ(most, 106) << "a viewer's six, and 100";
  std::vector<HttpClient> clients;
  for (int i = 0; i <= most; ++i) clients.emplace_back(endpoint_);
  EXPECT_TRUE(eventually([&] { return state().connections_refused == 1; }));
  EXPECT_TRUE(eventually([&] { return static_cast<int>(state().connections) == most; }));
}

}  // namespace
