#include "server/client.h"

#include <gtest/gtest.h>

#include "server/http_request_parser.h"

namespace server {
namespace {

const std::vector<Network> kTrusted{*Network::parse("10.0.0.0/8"),
                                    *Network::parse("2001:db8::/32")};

Address address(const char* text) { return *Address::parse(text); }

/// A request with these header lines, each ended by a line feed.
HttpRequest request(std::string fields = {}, const std::string& line = "GET / HTTP/1.1") {
  for (std::size_t at = 0; (at = fields.find('\n', at)) != fields.npos; at += 2) {
    fields.replace(at, 1, "\r\n");
  }
  HttpRequestParser parser{8192};
  const auto [status, size] = parser.feed(line + "\r\nHost: a.example:8080\r\n" + fields + "\r\n");
  EXPECT_EQ(status, HttpRequestParser::Status::kComplete);
  return parser.take();
}

Client client(const HttpRequest& asked, const char* peer, std::optional<Address> forwarded = {}) {
  return client_of(asked, address(peer), forwarded, kTrusted);
}

TEST(ClientTest, OfADirectRequestIsThePeer) {
  const auto direct = client(request("Origin: https://b.example\n"), "192.0.2.1");
  EXPECT_EQ(direct.proxy, Proxy::kNone);
  EXPECT_EQ(direct.address, address("192.0.2.1"));
  EXPECT_EQ(direct.peer, address("192.0.2.1"));
  EXPECT_EQ(direct.host, "a.example:8080");
  EXPECT_EQ(direct.origin, "https://b.example");
}

TEST(ClientTest, AnAbsoluteTargetNamesTheHost) {
  const auto asked = request("", "GET http://b.example/x HTTP/1.1");
  EXPECT_EQ(client(asked, "192.0.2.1").host, "b.example");
}

TEST(ClientTest, IsUnknownBehindAnUnknownProxy) {
  for (const std::string field :
       {"X-Forwarded-For: 127.0.0.1", "x-forwarded-proto: https", "Forwarded: for=127.0.0.1",
        "X-Real-IP: 127.0.0.1", "Via: 1.1 varnish", "CF-Connecting-IP: 127.0.0.1"}) {
    const auto found = client(request(field + "\n"), "192.0.2.1");
    EXPECT_EQ(found.proxy, Proxy::kUnknown) << field;
    EXPECT_EQ(found.proxy_sign, field.substr(0, field.find(':')));
    EXPECT_EQ(found.address, address("192.0.2.1")) << field;
  }
}

TEST(ClientTest, Http10IsASignOfAProxy) {
  const auto found = client(request("", "GET / HTTP/1.0"), "127.0.0.1");
  EXPECT_EQ(found.proxy, Proxy::kUnknown);
  EXPECT_EQ(found.proxy_sign, "HTTP/1.0");
}

TEST(ClientTest, AConnectionHeaderThatTheProgramDoesNotWriteIsASignOfAProxy) {
  const std::string browser = "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Firefox/128.0\n";
  const std::string player = "User-Agent: Lavf/59.27.100\n";
  const std::string other = "User-Agent: curl/7.88.1\n";
  const auto sign = [](const std::string& fields) {
    const auto found = client(request(fields), "127.0.0.1");
    EXPECT_EQ(found.proxy == Proxy::kUnknown, !found.proxy_sign.empty());
    return found.proxy_sign;
  };
  const std::string keeps = "Connection: keep-alive\n";
  const std::string closes = "Connection: close\n";
  EXPECT_EQ(sign(browser + keeps), "");
  EXPECT_EQ(sign(browser + "Connection: Keep-Alive\n"), "");
  EXPECT_EQ(sign(browser + closes), "Connection") << "nginx with proxy_http_version 1.1";
  EXPECT_EQ(sign(browser), "Connection") << "HAProxy, nginx 1.29";
  EXPECT_EQ(sign(player + keeps), "");
  EXPECT_EQ(sign(player + closes), "");
  EXPECT_EQ(sign(player), "Connection");
  for (const auto& connection : {std::string{}, keeps, closes})
    EXPECT_EQ(sign(other + connection), "");
}

TEST(ClientTest, ATrustedProxyNamesTheAddressLast) {
  const auto found =
      client(request("X-Forwarded-For: 127.0.0.1, 198.51.100.7\n", "GET / HTTP/1.0"), "10.0.0.1");
  EXPECT_EQ(found.proxy, Proxy::kTrusted);
  EXPECT_EQ(found.address, address("198.51.100.7")) << "the first item is the client's own word";
  EXPECT_EQ(found.peer, address("10.0.0.1"));
}

TEST(ClientTest, TrustedProxiesFormAChain) {
  const auto in_two_lines = request(
      "X-Forwarded-For: 127.0.0.1\nX-Forwarded-For: 198.51.100.7 ,10.9.9.9\n"
      "X-Forwarded-For: 2001:db8::1\n");
  EXPECT_EQ(client(in_two_lines, "10.0.0.1").address, address("198.51.100.7"));
  const auto inside = request("X-Forwarded-For: 10.1.1.1, 10.9.9.9\n");
  EXPECT_EQ(client(inside, "10.0.0.1").address, address("10.1.1.1"));
}

TEST(ClientTest, ReadsAddressesWithAPort) {
  const auto v4 = request("X-Forwarded-For: 198.51.100.7:4711\n");
  EXPECT_EQ(client(v4, "10.0.0.1").address, address("198.51.100.7"));
  const auto v6 = request("X-Forwarded-For: [2001:aaaa::1]:4711\n");
  EXPECT_EQ(client(v6, "10.0.0.1").address, address("2001:aaaa::1"));
}

TEST(ClientTest, IsUnknownIfATrustedProxyNamesNoAddress) {
  for (const std::string value : {"unknown", "_hidden", "198.51.100.7, unknown", ",", ""}) {
    const auto found = client(request("X-Forwarded-For: " + value + "\n"), "10.0.0.1");
    EXPECT_EQ(found.proxy, Proxy::kUnknown) << value;
    EXPECT_EQ(found.address, address("10.0.0.1")) << value;
  }
  EXPECT_EQ(client(request("Forwarded: for=127.0.0.1\n"), "10.0.0.1").proxy, Proxy::kUnknown);
}

TEST(ClientTest, ATrustedProxyAsksForItselfWithoutHeaders) {
  EXPECT_EQ(client(request(), "10.0.0.1").proxy, Proxy::kNone);
}

TEST(ClientTest, ATrustedProxyMayNameTheHost) {
  const auto asked =
      request("X-Forwarded-For: 198.51.100.7\nX-Forwarded-Host: localhost:1, tv.example\n");
  EXPECT_EQ(client(asked, "10.0.0.1").host, "a.example:8080");
  EXPECT_EQ(client(asked, "10.0.0.1").forwarded_host, "tv.example");
  EXPECT_EQ(client(asked, "192.0.2.1").forwarded_host, "");
}

TEST(ClientTest, IsTheOneThatAProxyProtocolHeaderNames) {
  const auto named = client(request(), "10.0.0.1", address("198.51.100.7"));
  EXPECT_EQ(named.proxy, Proxy::kTrusted);
  EXPECT_EQ(named.address, address("198.51.100.7"));
  const auto lying =
      client(request("X-Forwarded-For: 127.0.0.1\n"), "10.0.0.1", address("198.51.100.7"));
  EXPECT_EQ(lying.proxy, Proxy::kUnknown);
  EXPECT_EQ(lying.address, address("198.51.100.7"));
  const auto chained =
      client(request("X-Forwarded-For: 198.51.100.7\n"), "10.0.0.1", address("10.0.0.2"));
  EXPECT_EQ(chained.proxy, Proxy::kTrusted);
  EXPECT_EQ(chained.address, address("198.51.100.7"));
}

}  // namespace
}  // namespace server
