#include "transcoder/access/scheme.h"

#include <gtest/gtest.h>

namespace transcoder::access {
namespace {

TEST(SchemeTest, IsTheBeginningOfAUri) {
  EXPECT_EQ(scheme_of("HTTP://a/"), "http");
  EXPECT_EQ(scheme_of("rtsp-sdp://a"), "rtsp-sdp");
  EXPECT_EQ(scheme_of("file:a"), "file");
  for (const char* text : {"", "/a:b", "a b:c", ":9000", "http"}) {
    EXPECT_EQ(scheme_of(text), "") << text;
  }
}

TEST(SchemeTest, HasAFamily) {
  const std::vector<std::string> web{"http", "https"};
  EXPECT_EQ(scheme_family("http"), web);
  EXPECT_EQ(scheme_family("https"), web);
  EXPECT_EQ(scheme_family("file"), std::vector<std::string>{"file"});
  EXPECT_EQ(scheme_family("srt"), std::vector<std::string>{"srt"});
  EXPECT_EQ(scheme_family("udp"), (std::vector<std::string>{"udp", "rtp"}));
  EXPECT_EQ(scheme_family("rtspt").front(), "rtsp");
}

TEST(SchemeTest, HasAPort) {
  EXPECT_EQ(default_port("http"), 80);
  EXPECT_EQ(default_port("https"), 443);
  EXPECT_EQ(default_port("rtspt"), 554);
  EXPECT_EQ(default_port("rtsps"), 322);
  EXPECT_EQ(default_port("rtmp"), 1935);
  EXPECT_EQ(default_port("srt"), 0);
}

TEST(HostNameTest, HasOneForm) {
  EXPECT_EQ(host_name("CDN.Example."), "cdn.example");
  EXPECT_TRUE(is_localhost("localhost"));
  EXPECT_TRUE(is_localhost("a.localhost"));
  EXPECT_FALSE(is_localhost("notlocalhost"));
}

}  // namespace
}  // namespace transcoder::access
