#include "server/proxy_protocol.h"

#include <gtest/gtest.h>

#include <string>

namespace server {
namespace {

using namespace std::string_literals;
using Status = ProxyHeader::Status;

const std::string kSignature = "\r\n\r\n\0\r\nQUIT\n"s;
const std::string kTcp4 =
    kSignature + "\x21\x11\0\x0c\xc6\x33\x64\x07\x0a\0\0\x01\x12\x67\x1f\x90"s;
const std::string kTcp6 = kSignature + "\x21\x21\0\x24"s + "\x20\x01\x0d\xb8"s +
                          std::string(11, '\0') + "\x01"s + std::string(16, '\0') +
                          "\x12\x67\x1f\x90"s;

std::string client(const std::string& bytes) {
  const auto header = parse_proxy_header(bytes);
  EXPECT_EQ(header.status, Status::kComplete);
  return header.client ? header.client->text() : "nobody";
}

TEST(ProxyProtocolTest, Version1NamesTheClient) {
  EXPECT_EQ(client("PROXY TCP4 198.51.100.7 10.0.0.1 4711 8080\r\nGET "), "198.51.100.7");
  EXPECT_EQ(client("PROXY TCP6 2001:db8::1 ::1 4711 8080\r\n"), "2001:db8::1");
  EXPECT_EQ(client("PROXY TCP6 ::ffff:192.0.2.1 ::1 4711 80\r\n"), "192.0.2.1") << "dual-stack";
  EXPECT_EQ(client("PROXY UNKNOWN\r\n"), "nobody");
  EXPECT_EQ(client("PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n"), "nobody");
}

TEST(ProxyProtocolTest, Version2NamesTheClient) {
  EXPECT_EQ(client(kTcp4 + "GET "), "198.51.100.7");
  EXPECT_EQ(client(kTcp6), "2001:db8::1");
  EXPECT_EQ(client(kSignature + "\x20\0\0\0"s), "nobody") << "LOCAL";
  EXPECT_EQ(client(kSignature + "\x21\0\0\x03"s + "abc"), "nobody") << "UNSPEC";
  EXPECT_EQ(client(kSignature + "\x21\x31\0\xd8"s + std::string(216, 'u')), "nobody") << "AF_UNIX";
}

TEST(ProxyProtocolTest, EndsBeforeTheFirstByteOfTheClient) {
  const std::string line = "PROXY TCP4 198.51.100.7 10.0.0.1 4711 8080\r\n";
  EXPECT_EQ(parse_proxy_header(line + "GET / HTTP/1.1\r\n").size, line.size());
  EXPECT_EQ(parse_proxy_header(kTcp4 + "GET").size, kTcp4.size());
  auto extended = kTcp4 +
                  "\x03\0\x04"
                  "abcd"s;
  extended[15] = 0x0c + 7;
  EXPECT_EQ(client(extended), "198.51.100.7");
  EXPECT_EQ(parse_proxy_header(extended + "GET").size, extended.size());
}

TEST(ProxyProtocolTest, NeedsAllBytes) {
  for (const auto& whole : {"PROXY TCP4 198.51.100.7 10.0.0.1 4711 8080\r\n"s, kTcp4, kTcp6}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_EQ(parse_proxy_header(whole.substr(0, size)).status, Status::kIncomplete) << size;
    }
  }
}

TEST(ProxyProtocolTest, LeavesOtherBeginnings) {
  for (const auto* text : {"GET / HTTP/1.1\r\n", "PROPFIND / ", "PUT ", "\r\nGET ", "X"}) {
    EXPECT_EQ(parse_proxy_header(text).status, Status::kNone) << text;
  }
}

TEST(ProxyProtocolTest, RejectsTheRest) {
  for (const auto& text :
       {"PROXY TCP4 2001:db8::1 ::1 1 2\r\n"s, "PROXY TCP6 192.0.2.1 ::1 1 2\r\n"s,
        "PROXY TCP4 a.example 10.0.0.1 1 2\r\n"s, "PROXY TCP4\r\n"s,
        "PROXY UDP4 192.0.2.1 10.0.0.1 1 2\r\n"s, "PROXY "s + std::string(200, ' '),
        kSignature + "\x31\x11\0\x0c"s + std::string(12, 'a'),
        kSignature + "\x22\x11\0\x0c"s + std::string(12, 'a'),
        kSignature + "\x21\x11\0\x0b"s + std::string(11, 'a'),
        kSignature + "\x21\x21\0\x0c"s + std::string(12, 'a')}) {
    EXPECT_EQ(parse_proxy_header(text).status, Status::kInvalid) << text;
  }
}

}  // namespace
}  // namespace server
