#include "server/request_target.h"

#include <gtest/gtest.h>

namespace server {
namespace {

std::string path(std::string_view text) { return RequestTarget::parse(text)->path; }

TEST(RequestTargetTest, SplitsPathAndQuery) {
  const auto target = RequestTarget::parse("/a/b.ts?max=2%30&x=?");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/a/b.ts");
  EXPECT_EQ(target->query, "max=2%30&x=?");
}

TEST(RequestTargetTest, DecodesThePathOnce) {
  EXPECT_EQ(path("/%6cive.ts"), "/live.ts");
  EXPECT_EQ(path("/%2541"), "/%41");
  EXPECT_EQ(path("/caf%C3%A9"), "/caf\xc3\xa9");
}

TEST(RequestTargetTest, AcceptsTheAbsoluteForm) {
  EXPECT_EQ(path("http://host:80/live.ts"), "/live.ts");
  EXPECT_EQ(path("http://host"), "/");
  EXPECT_EQ(path("HTTP://host/live.ts"), "/live.ts");
  EXPECT_EQ(path("https://host/live.ts"), "/live.ts");
  EXPECT_EQ(path("hTTps://[::1]:443/live.ts"), "/live.ts");
}

TEST(RequestTargetTest, EndsTheAuthorityAtTheQuery) {
  const auto target = RequestTarget::parse("http://host?from=/a.ts");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/");
  EXPECT_EQ(target->query, "from=/a.ts");
}

TEST(RequestTargetTest, DoesNotNormalise) {
  EXPECT_EQ(path("//metrics"), "//metrics");
  EXPECT_EQ(path("/a/../metrics"), "/a/../metrics");
}

TEST(RequestTargetTest, RejectsAmbiguousTargets) {
  for (const char* text : {"", "*", "live.ts", "host:443", "/a%2fb", "/a%5Cb", "/a%00", "/a%0d%0a",
                           "/a%7f", "/%", "/%4", "/%zz", "/%+1", "/a#b", "http:/live.ts", "http://",
                           "http:///live.ts", "ftp://host/live.ts", "http://host#a"}) {
    EXPECT_FALSE(RequestTarget::parse(text)) << text;
  }
}

TEST(RequestTargetTest, ParsesTheStreamsName) {
  const auto name = [](std::string_view text) {
    return RequestTarget::parse(text)->stream().value_or(StreamTarget{}).stream;
  };
  EXPECT_EQ(name("/live.ts?x"), "live");
  EXPECT_EQ(name("/Cam_1-b.hd.ts"), "Cam_1-b.hd");
  EXPECT_EQ(name("/" + std::string(64, 'a') + ".ts"), std::string(64, 'a'));
}

TEST(RequestTargetTest, ParsesTheContainer) {
  const auto container = [](std::string_view text) {
    return RequestTarget::parse(text)->stream()->container;
  };
  EXPECT_EQ(container("/live.ts"), media::Container::kMpegTs);
  EXPECT_EQ(container("/live.flv"), media::Container::kFlv);
  EXPECT_EQ(container("/live.ts.mp4"), media::Container::kMp4);
}

TEST(RequestTargetTest, FindsNoStreamInOtherPaths) {
  for (const char* text : {"/", "/live", "/.ts", "/live.ts/", "/a/b.ts", "/..ts", "/.hidden.ts",
                           "/li%20ve.ts", "/caf%C3%A9.ts", "//live.ts", "/live.mkv", "/.mp4"}) {
    EXPECT_FALSE(RequestTarget::parse(text)->stream()) << text;
  }
  EXPECT_FALSE((RequestTarget{"/" + std::string(65, 'a') + ".ts", {}}.stream()));
}

}  // namespace
}  // namespace server
