#include "transcoder/access/access_rules.h"

#include <gtest/gtest.h>

namespace transcoder::access {
namespace {

using Hosts = std::vector<OwnHost>;
using Ports = std::vector<std::uint16_t>;

AccessRules rules(const std::string& uri) { return access_rules({.uri = uri}); }

TEST(AccessRulesTest, AWebSourceMakesConnectionsOnly) {
  const auto web = rules("https://CDN.example/live/index.m3u8");
  EXPECT_EQ(web.schemes, (std::vector<std::string>{"http", "https"}));
  EXPECT_EQ(web.own_hosts, (Hosts{{"cdn.example", 443}}));
  EXPECT_TRUE(web.connections);
  EXPECT_EQ(web.datagrams, Datagrams::kNowhere);
  EXPECT_FALSE(web.binds_any_port);
  EXPECT_TRUE(web.bound_ports.empty());
}

TEST(AccessRulesTest, AnRtspSourceAlsoReceivesDatagrams) {
  const auto rtsp = rules("rtsp://u:p@[2001:db8::7]:8554/1");
  EXPECT_EQ(rtsp.own_hosts, (Hosts{{"2001:db8::7", 8554}}));
  EXPECT_TRUE(rtsp.connections);
  EXPECT_EQ(rtsp.datagrams, Datagrams::kOwnHost);
  EXPECT_TRUE(rtsp.binds_any_port);
}

TEST(AccessRulesTest, AnSrtCallerReachesItsHost) {
  const auto caller = rules("srt://10.0.0.1:9000");
  EXPECT_EQ(caller.own_hosts, (Hosts{{"10.0.0.1", 9000}}));
  EXPECT_FALSE(caller.connections);
  EXPECT_EQ(caller.datagrams, Datagrams::kOwnHost);
  EXPECT_TRUE(caller.binds_any_port);
  EXPECT_EQ(rules("srt://a:9000?localport=5000").bound_ports, Ports{5000});
  EXPECT_EQ(rules("srt://a:900?mode=rendezvous").bound_ports, Ports{900});
}

TEST(AccessRulesTest, AnSrtListenerHasItsPortOnly) {
  for (const auto* uri :
       {"srt://:9000", "srt://0.0.0.0:9000", "srt://10.0.0.1:9000?mode=listener"}) {
    const auto listener = rules(uri);
    EXPECT_TRUE(listener.own_hosts.empty()) << uri;
    EXPECT_EQ(listener.datagrams, Datagrams::kAnyHost);
    EXPECT_EQ(listener.bound_ports, Ports{9000});
    EXPECT_FALSE(listener.binds_any_port);
    EXPECT_FALSE(listener.connections);
  }
}

TEST(AccessRulesTest, DatagramSourcesHaveTheirPorts) {
  const auto udp = rules("udp://239.0.0.1:5000");
  EXPECT_EQ(udp.bound_ports, Ports{5000});
  EXPECT_EQ(udp.datagrams, Datagrams::kNowhere);
  EXPECT_FALSE(udp.connections);
  EXPECT_EQ(rules("rtp://:5000").bound_ports, (Ports{5000, 5001}));
  EXPECT_EQ(rules("rtp://:65535").bound_ports, Ports{65535});
}

TEST(AccessRulesTest, AFileHasNoNetwork) {
  const auto file = rules("file:///srv/a/../b%20c.ts");
  EXPECT_EQ(file.own_file, "/srv/b c.ts");
  EXPECT_EQ(file.schemes, std::vector<std::string>{"file"});
  EXPECT_TRUE(file.own_hosts.empty());
  EXPECT_FALSE(file.connections);
  EXPECT_EQ(file.datagrams, Datagrams::kNowhere);
  EXPECT_EQ(rules("file:/x.ts").own_file, "/x.ts");
}

TEST(AccessRulesTest, APipelineMayOpenWhatItsTextNames) {
  const auto pipeline = rules(
      "gst:uridecodebin uri=\"http://10.0.0.1:81/a\" ! x tcpclientsrc host=10.0.0.2 port=5 "
      "rtspsrc location=rtsp://cam.lan/1");
  EXPECT_EQ(pipeline.own_hosts, (Hosts{{"10.0.0.1", 81}, {"10.0.0.2", 0}, {"cam.lan", 554}}));
  EXPECT_EQ(pipeline.schemes.front(), "http");
  EXPECT_NE(std::ranges::find(pipeline.schemes, "rtsp"), pipeline.schemes.end());
  EXPECT_EQ(std::ranges::find(pipeline.schemes, "file"), pipeline.schemes.end());
  EXPECT_TRUE(rules("gst:fdsrc uri=fd://3").schemes.empty());
  EXPECT_TRUE(rules("gst:videotestsrc").schemes.empty());
}

TEST(AccessRulesTest, TheOperatorMayAddPlaces) {
  SourceSettings source{.uri = "http://a/"};
  for (const auto* text : {"10.0.0.0/8", "cdn.lan", "/srv"}) {
    source.allow.push_back(*AllowedPlace::parse(text));
  }
  const auto allowed = access_rules(source);
  EXPECT_EQ(allowed.networks, std::vector{*base::Network::parse("10.0.0.0/8")});
  EXPECT_EQ(allowed.hosts, std::vector<std::string>{"cdn.lan"});
  EXPECT_EQ(allowed.folders, std::vector<std::string>{"/srv"});
}

TEST(AccessRulesTest, DescriptorsAreNoSource) { EXPECT_TRUE(rules("fd://3").schemes.empty()); }

}  // namespace
}  // namespace transcoder::access
