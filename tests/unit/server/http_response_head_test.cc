#include "server/http_response_head.h"

#include <gmock/gmock.h>

namespace server {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(ResponseHeadTest, FormatsTheDateForHttp) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(ResponseHeadTest, DescribesAStream) {
  const auto text = HttpResponseHead{.content_type = "video/mp2t"}.text();
  EXPECT_EQ(text,
            "HTTP/1.1 200 OK\r\n"
            "Server: symcast\r\n"
            "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "Content-Type: video/mp2t\r\n"
            "Cache-Control: no-store\r\n"
            "Connection: close\r\n"
            "Transfer-Encoding: chunked\r\n\r\n");
}

TEST(ResponseHeadTest, UsesNoChunksForHttp10) {
  EXPECT_THAT((HttpResponseHead{.http_1_0 = true}.text()), Not(HasSubstr("Transfer-Encoding")));
}

TEST(ResponseHeadTest, SendsTheLengthOfAPage) {
  const auto text = HttpResponseHead{.length = 12, .keep_alive = true}.text();
  EXPECT_THAT(text, HasSubstr("\r\nContent-Length: 12\r\n"));
  EXPECT_THAT(text, HasSubstr("\r\nConnection: keep-alive\r\n"));
  EXPECT_THAT(text, Not(HasSubstr("chunked")));
  EXPECT_THAT(text, EndsWith("\r\n\r\n"));
}

TEST(ResponseHeadTest, SendsAllowAndRetryAfter) {
  EXPECT_THAT((HttpResponseHead{.status = 405}.text()),
              HasSubstr("\r\nAllow: GET, HEAD, OPTIONS\r\n"));
  EXPECT_THAT((HttpResponseHead{.status = 503}.text()), HasSubstr("\r\nRetry-After: "));
  EXPECT_THAT((HttpResponseHead{.status = 431}.text()),
              StartsWith("HTTP/1.1 431 Request Header Fields Too Large\r\n"));
}

}  // namespace
}  // namespace server
