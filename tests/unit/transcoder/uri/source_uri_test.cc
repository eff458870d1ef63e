#include "transcoder/uri/source_uri.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

TEST(SourceUriTest, FindsTheHost) {
  EXPECT_EQ(host_of("rtsp://user:pw@camera.local:554/1"), "camera.local");
  EXPECT_EQ(host_of("http://[::1]:8000/x.ts"), "::1");
  for (const auto* uri : {"srt://:9000", "gst:videotestsrc", "file:/x", "test:"}) {
    EXPECT_EQ(host_of(uri), "") << uri;
  }
}

TEST(SourceUriTest, FindsThePort) {
  EXPECT_EQ(port_of("srt://:9000"), 9000);
  EXPECT_EQ(port_of("srt://0.0.0.0:9000?mode=listener"), 9000);
  EXPECT_EQ(port_of("udp://[::]:5000"), 5000);
  EXPECT_EQ(port_of("rtsp://host/1"), 0);
}

TEST(SourceUriTest, FindsTheValueOfAKey) {
  EXPECT_EQ(query_value("srt://:9000?latency=50&mode=listener", "mode"), "listener");
  EXPECT_EQ(query_value("srt://:9000?m%6fde=list%65ner", "mode"), "listener");
  EXPECT_EQ(query_value("srt://:9000?mode=caller&mode=listener", "mode"), "listener");
  EXPECT_EQ(query_value("srt://:9000?mode", "mode"), "");
  EXPECT_EQ(query_value("srt://:9000?streamid=a=b", "streamid"), "a=b");
}

TEST(SourceUriTest, AKeyIsNoPartOfAValueOrOfAnotherKey) {
  for (const auto* uri :
       {"srt://h:1", "srt://h:1?", "srt://mode=listener:1", "srt://h:1?streamid=mode=listener",
        "srt://h:1?streamid=%23!::m=publish,mode=listener", "srt://h:1?streamid=a%26mode=listener",
        "srt://h:1?xmode=listener", "rtsp://h/1#?mode=listener"}) {
    EXPECT_EQ(query_value(uri, "mode"), std::nullopt) << uri;
  }
}

TEST(SourceUriTest, ListensOnAnUnspecifiedAddress) {
  EXPECT_EQ(complete_srt_uri("srt://0.0.0.0:9000"), "srt://0.0.0.0:9000?mode=listener");
  EXPECT_EQ(complete_srt_uri("srt://[::]:9000?latency=50"),
            "srt://[::]:9000?latency=50&mode=listener");
  EXPECT_EQ(complete_srt_uri("srt://:9000"), "srt://:9000?mode=listener");
  EXPECT_EQ(complete_srt_uri("srt://:9000?streamid=mode=x"),
            "srt://:9000?streamid=mode=x&mode=listener");
  for (const auto* uri : {"srt://0.0.0.0:9000?mode=rendezvous", "srt://host:9000", "udp://:9000"}) {
    EXPECT_EQ(complete_srt_uri(uri), uri);
  }
}

TEST(SourceUriTest, KnowsWhoWaitsForAPublisherByRtmp) {
  for (const auto* uri :
       {"rtmp://0.0.0.0/live/obs", "rtmp://[::]:1935/live/obs", "rtmp://:1935/live",
        "rtmp://127.0.0.1/live/obs?listen=1", "rtmps://0.0.0.0/live/obs"}) {
    EXPECT_TRUE(expects_rtmp_publisher(uri)) << uri;
  }
  for (const auto* uri : {"rtmp://127.0.0.1/live/obs", "rtmp://host/listen=1", "srt://0.0.0.0:1"}) {
    EXPECT_FALSE(expects_rtmp_publisher(uri)) << uri;
  }
}

TEST(SourceUriTest, AStreamIdMayHaveANumberSign) {
  EXPECT_EQ(complete_srt_uri("srt://host:9000?streamid=#!::r=live,m=request&latency=50"),
            "srt://host:9000?streamid=%23!::r=live,m=request&latency=50");
  EXPECT_EQ(complete_srt_uri("http://host/#part"), "http://host/#part");
}

}  // namespace
}  // namespace transcoder
