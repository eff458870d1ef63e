#include "server/other_protocol.h"

#include <gtest/gtest.h>

#include <string>

namespace server {
namespace {

std::string name(std::string_view bytes) {
  const auto found = other_protocol(bytes);
  return found ? std::string{found->name} : "unknown";
}

TEST(OtherProtocolTest, KnowsThoseThatArriveByMistake) {
  EXPECT_EQ(name("\x03" + std::string(1536, '\0')), "RTMP");
  EXPECT_EQ(name("\x03"), "RTMP");
  EXPECT_EQ(name("\x16\x03\x01\x02"), "TLS");
  EXPECT_EQ(name("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "HTTP/2");
  EXPECT_EQ(name("OPTIONS rtsp://h:8080/live RTSP/1.0\r\nCSeq: 1\r\n"), "RTSP");
}

TEST(OtherProtocolTest, DoesNotGuess) {
  for (const char* bytes : {"", "GET\r\n", "nonsense\r\n\r\n", "\x16", "GET / HTTP/1.1\r\n"}) {
    EXPECT_EQ(name(bytes), "unknown") << bytes;
  }
}

}  // namespace
}  // namespace server
