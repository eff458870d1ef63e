#include "netlab/http_response.h"

#include <gtest/gtest.h>

namespace netlab {
namespace {

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type:video/mp2t \r\ntransfer-encoding: Chunked\r\n\r\n";

std::span<const std::uint8_t> bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(HttpResponseTest, ConsumesTheHeadAndLeavesTheBody) {
  HttpResponse response;
  const std::string text = std::string{kHead} + "body";
  EXPECT_EQ(response.feed(bytes(text)), kHead.size());
  EXPECT_TRUE(response.complete());
  EXPECT_EQ(response.status(), 200);
}

TEST(HttpResponseTest, AcceptsSingleBytes) {
  HttpResponse response;
  for (std::size_t i = 0; i < kHead.size(); ++i) {
    EXPECT_FALSE(response.complete());
    EXPECT_EQ(response.feed(bytes(kHead.substr(i, 1))), 1u);
  }
  EXPECT_TRUE(response.complete());
}

TEST(HttpResponseTest, FindsHeadersInAnyCase) {
  HttpResponse response;
  response.feed(bytes(kHead));
  EXPECT_EQ(response.header("content-type"), "video/mp2t");
  EXPECT_FALSE(response.header("Server"));
  EXPECT_TRUE(response.chunked());
}

TEST(HttpResponseTest, NonHttpDataHasNoStatus) {
  HttpResponse response;
  response.feed(bytes("SSH-2.0-OpenSSH\r\n\r\n"));
  EXPECT_EQ(response.status(), 0);
}

}  // namespace
}  // namespace netlab
