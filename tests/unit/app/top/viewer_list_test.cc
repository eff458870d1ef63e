#include "app/top/viewer_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace app {
namespace {

TEST(ViewerListTest, NamesTheConnectionsOfViewers) {
  const auto viewers = parse_viewers(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
      R"({"connections": [{"peer": "[2001:db8::1]:50000", "viewer": 7, "stream": "live",
                           "format": "dash", "more": 1}]})");
  ASSERT_TRUE(viewers) << viewers.error();
  std::vector<Connection> connections(2);
  connections[0].peer = *server::Endpoint::parse("192.0.2.1:50000");
  connections[1].peer = *server::Endpoint::parse("[2001:db8::1]:50000");
  name_viewers(connections, *viewers);
  EXPECT_FALSE(connections[0].viewer);
  ASSERT_TRUE(connections[1].viewer);
  EXPECT_EQ(connections[1].viewer->id, 7u);
  EXPECT_EQ(connections[1].viewer->stream, "live");
  EXPECT_EQ(connections[1].viewer->format, "dash");
}

TEST(ViewerListTest, SaysWhyThereIsNone) {
  EXPECT_EQ(parse_viewers("").error(), "no HTTP response");
  EXPECT_EQ(parse_viewers("HTTP/1.1 403 Forbidden\r\nX: y\r\n\r\nno").error(),
            "HTTP/1.1 403 Forbidden");
  for (const auto* body : {"", "{}", "[", R"({"connections": [{"peer": 1}]})"}) {
    EXPECT_FALSE(parse_viewers(std::string{"HTTP/1.1 200 OK\r\n\r\n"} + body)) << body;
  }
}

}  // namespace
}  // namespace app
