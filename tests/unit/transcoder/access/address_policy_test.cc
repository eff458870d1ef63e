#include "transcoder/access/address_policy.h"

#include <gtest/gtest.h>

namespace transcoder::access {
namespace {

base::Endpoint at(const char* text) { return *base::Endpoint::parse(text); }

std::vector<base::Address> addresses(std::initializer_list<const char*> texts) {
  std::vector<base::Address> result;
  for (const auto* text : texts) result.push_back(*base::Address::parse(text));
  return result;
}

/// A source in one of its tries.
struct Judge {
  explicit Judge(const std::string& uri, std::initializer_list<const char*> allow = {},
                 std::shared_ptr<HostHistory> history = std::make_shared<HostHistory>())
      : policy{access_rules(settings(uri, allow)), std::move(history)} {}

  static SourceSettings settings(const std::string& uri, std::initializer_list<const char*> allow) {
    SourceSettings source{.uri = uri};
    for (const auto* text : allow) source.allow.push_back(*AllowedPlace::parse(text));
    return source;
  }

  bool opens(const std::string& scheme, const std::string& host = {}, std::uint16_t port = 0,
             const std::string& path = "/x") {
    return !policy.may_open({scheme, host, port, path});
  }
  /// The addresses that the name may have, or none if it is refused.
  std::vector<base::Address> finds(const std::string& name,
                                   std::initializer_list<const char*> found) {
    auto result = addresses(found);
    return policy.looked_up(name, result) ? std::vector<base::Address>{} : result;
  }
  bool connects(const char* to) { return !policy.connect(Transport::kTcp, at(to)); }
  bool sends(const char* to) { return !policy.send(at(to)); }
  bool binds(const char* to, Transport transport = Transport::kUdp) {
    return !policy.bind(transport, at(to));
  }

  AddressPolicy policy;
};

TEST(AddressPolicyTest, ANetworkSourceOpensItsFamilyOnly) {
  Judge web{"http://a.example/"};
  EXPECT_TRUE(web.opens("http", "b.example"));
  EXPECT_TRUE(web.opens("HTTPS", "b.example"));
  for (const auto* scheme :
       {"file", "fd", "rtsp", "udp", "srt", "rtmp", "ftp", "data", "", "a b"}) {
    EXPECT_FALSE(web.opens(scheme)) << scheme;
  }
  Judge rtsp{"rtsp://a.example/"};
  EXPECT_TRUE(rtsp.opens("rtspt", "a.example"));
  EXPECT_TRUE(rtsp.opens("udp", "0.0.0.0")) << "for its own sockets";
  EXPECT_FALSE(rtsp.opens("file"));
  EXPECT_FALSE(rtsp.opens("http", "a.example"));
}

TEST(AddressPolicyTest, ASourceOfDatagramsOpensTheAddressThatItReceivesAt) {
  EXPECT_TRUE(Judge{"udp://239.0.0.1:5000"}.opens("udp", "239.0.0.1", 5000));
  EXPECT_TRUE(Judge{"rtp://0.0.0.0:5000"}.opens("rtp", "0.0.0.0", 5000));
  EXPECT_TRUE(Judge{"srt://0.0.0.0:9000"}.opens("srt", "0.0.0.0", 9000));
  EXPECT_FALSE(Judge{"udp://239.0.0.1:5000"}.opens("rtsp", "a.example"));
}

TEST(AddressPolicyTest, ARefusalNamesThePlaceAndTheReason) {
  Judge web{"http://a.example/"};
  EXPECT_EQ(web.policy.may_open({"file", "", 0, "/etc/passwd"})->text(),
            "it names file:///etc/passwd, which it may not open: it opens only http:, https:");
  EXPECT_EQ(web.policy.may_open({"http", "10.0.0.7", 81, "/x"})->text(),
            "it names http://10.0.0.7:81/x, which it may not open: 10.0.0.7 is a private address, "
            "which source.allow does not name");
  EXPECT_EQ(web.policy.connect(Transport::kTcp, at("[fe80::1]:80"))->text(),
            "it names [fe80::1]:80, which it may not open: fe80::1 is a link-local address, which "
            "source.allow does not name");
}

TEST(AddressPolicyTest, PublicAddressesAreAllowed) {
  Judge web{"http://a.example/"};
  EXPECT_TRUE(web.connects("1.1.1.1:80"));
  EXPECT_TRUE(web.connects("[2606:4700::1111]:443"));
  EXPECT_TRUE(web.opens("http", "1.1.1.1"));
  EXPECT_EQ(web.finds("cdn.example", {"1.1.1.1"}), addresses({"1.1.1.1"}));
}

TEST(AddressPolicyTest, OtherAddressesAreNot) {
  Judge web{"http://a.example/"};
  for (const auto* to :
       {"127.0.0.1:80", "10.0.0.1:80", "192.168.1.1:80", "169.254.169.254:80", "0.0.0.0:80",
        "224.0.0.1:80", "255.255.255.255:80", "[::1]:80", "[::]:80", "[fd00::1]:80", "[fe80::1]:80",
        "[ff02::1]:80", "[::ffff:127.0.0.1]:80", "[64:ff9b::10.0.0.1]:80", "[2002:7f00:1::]:80"}) {
    EXPECT_FALSE(web.connects(to)) << to;
  }
}

TEST(AddressPolicyTest, ANameMayBeAnAddressInAnyNotation) {
  Judge web{"http://a.example/"};
  for (const auto* host :
       {"127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "::1", "::ffff:7f00:1",
        "::FFFF:127.0.0.1", "fe80::1%eth0", "10.0.0.1", "localhost", "LOCALHOST.", "a.localhost"}) {
    EXPECT_FALSE(web.opens("http", host)) << host;
  }
  EXPECT_TRUE(web.opens("http", "16843009"));  // 1.1.1.1
}

TEST(AddressPolicyTest, ItsOwnHostIsAllowedByItsNameAndAddress) {
  Judge camera{"rtsp://cam.lan/1"};
  EXPECT_FALSE(camera.connects("10.0.0.7:554"));
  EXPECT_EQ(camera.finds("CAM.lan.", {"10.0.0.7"}), addresses({"10.0.0.7"}));
  EXPECT_TRUE(camera.connects("10.0.0.7:554"));
  EXPECT_TRUE(camera.connects("10.0.0.7:8554"));
  EXPECT_TRUE(camera.opens("rtsp", "10.0.0.7", 8554));
  EXPECT_FALSE(camera.connects("10.0.0.8:554"));
}

TEST(AddressPolicyTest, AnotherNameDoesNotReachItsOwnHost) {
  Judge camera{"rtsp://10.0.0.7/1"};
  EXPECT_TRUE(camera.connects("10.0.0.7:554"));
  EXPECT_TRUE(camera.finds("evil.example", {"10.0.0.7"}).empty());
  EXPECT_EQ(camera.finds("evil.example", {"10.0.0.7", "1.1.1.1"}), addresses({"1.1.1.1"}));
}

TEST(AddressPolicyTest, OnThisMachineItsOwnPortOnly) {
  Judge web{"http://127.0.0.1:8000/x.m3u8"};
  EXPECT_TRUE(web.connects("127.0.0.1:8000"));
  EXPECT_TRUE(web.opens("http", "127.0.0.1", 8000));
  EXPECT_FALSE(web.connects("127.0.0.1:8080"));
  EXPECT_FALSE(web.opens("http", "127.0.0.1"));
  EXPECT_FALSE(web.connects("127.0.0.2:8000"));
  EXPECT_FALSE(web.connects("[::1]:8000"));
  EXPECT_FALSE(web.opens("http", "localhost", 8000));
}

TEST(AddressPolicyTest, LocalhostIsTheLoopbackAddresses) {
  Judge web{"http://localhost:8000/x.m3u8"};
  EXPECT_TRUE(web.connects("127.0.0.1:8000"));
  EXPECT_TRUE(web.connects("[::1]:8000"));
  EXPECT_TRUE(web.opens("http", "localhost", 8000));
  EXPECT_FALSE(web.opens("http", "localhost", 8001));
  EXPECT_FALSE(web.connects("127.0.0.1:8001"));
}

TEST(AddressPolicyTest, APublicHostMayNotBecomePrivate) {
  const auto history = std::make_shared<HostHistory>();
  Judge first{"http://a.example/", {}, history};
  EXPECT_EQ(first.finds("a.example", {"1.1.1.1"}), addresses({"1.1.1.1"}));
  EXPECT_TRUE(first.finds("a.example", {"127.0.0.1"}).empty());
  Judge second{"http://a.example/", {}, history};
  auto found = addresses({"10.0.0.1"});
  EXPECT_EQ(second.policy.looked_up("a.example", found)->text(),
            "it names a.example, which it may not open: 10.0.0.1 is a private address, which "
            "source.allow does not name; the name had public addresses before");
  EXPECT_FALSE(second.connects("10.0.0.1:80"));
  EXPECT_EQ(second.finds("a.example", {"1.0.0.1"}), addresses({"1.0.0.1"}));
  Judge permitted{"http://a.example/", {"10.0.0.0/8"}, history};
  EXPECT_EQ(permitted.finds("a.example", {"10.0.0.1"}), addresses({"10.0.0.1"}));
}

TEST(AddressPolicyTest, APrivateHostMayBecomePublicAndReturn) {
  const auto history = std::make_shared<HostHistory>();
  Judge camera{"rtsp://cam.lan/", {}, history};
  EXPECT_EQ(camera.finds("cam.lan", {"10.0.0.1"}).size(), 1u);
  EXPECT_EQ(camera.finds("cam.lan", {"1.1.1.1"}).size(), 1u);
  EXPECT_EQ(camera.finds("cam.lan", {"10.0.0.2"}).size(), 1u);
  EXPECT_FALSE(camera.connects("10.0.0.1:554")) << "the last lookup counts";
}

TEST(AddressPolicyTest, TheOperatorMayAllowNetworks) {
  Judge web{"http://a.example/", {"10.0.0.0/8", "fd00::/8", "127.0.0.2"}};
  EXPECT_TRUE(web.connects("10.1.2.3:80"));
  EXPECT_TRUE(web.connects("[64:ff9b::10.0.0.1]:80"));
  EXPECT_TRUE(web.connects("[fd00::1]:80"));
  EXPECT_TRUE(web.connects("127.0.0.2:9999"));
  EXPECT_TRUE(web.opens("http", "10.1.2.3"));
  EXPECT_EQ(web.finds("b.lan", {"10.1.2.3"}).size(), 1u);
  EXPECT_FALSE(web.connects("192.168.0.1:80"));
  EXPECT_FALSE(web.connects("127.0.0.1:80"));
}

TEST(AddressPolicyTest, TheOperatorMayAllowHosts) {
  Judge web{"http://a.example/", {"cdn.lan"}};
  EXPECT_EQ(web.finds("CDN.lan", {"10.0.0.9"}), addresses({"10.0.0.9"}));
  EXPECT_TRUE(web.connects("10.0.0.9:8080"));
  EXPECT_TRUE(web.finds("other.lan", {"10.0.0.9"}).empty()) << "by another name";
  Judge local{"http://a.example/", {"localhost"}};
  EXPECT_TRUE(local.opens("http", "localhost", 99));
  EXPECT_TRUE(local.connects("127.0.0.1:99"));
}

TEST(AddressPolicyTest, AFileOpensItselfAndFoldersOfTheOperator) {
  Judge file{"file:///srv/a/index.m3u8", {"/srv/media"}};
  EXPECT_TRUE(file.opens("file", "", 0, "/srv/a/index.m3u8"));
  EXPECT_TRUE(file.opens("file", "", 0, "/srv/media/1.ts"));
  for (const auto* path : {"/srv/a/1.ts", "/etc/passwd", "/srv/media/../a/1.ts", "/srv/media2/1.ts",
                           "/srv/media", ""}) {
    EXPECT_FALSE(file.opens("file", "", 0, path)) << path;
  }
  EXPECT_FALSE(file.opens("http", "a.example"));
  EXPECT_FALSE(file.connects("1.1.1.1:80"));
  EXPECT_FALSE(file.sends("1.1.1.1:8000"));
  EXPECT_FALSE(file.binds("0.0.0.0:5000"));
}

TEST(AddressPolicyTest, ARemoteSourceOpensNoFilesOfTheOperatorsFolders) {
  Judge web{"http://a.example/", {"/srv/media"}};
  EXPECT_FALSE(web.opens("file", "", 0, "/srv/media/1.ts"));
}

TEST(AddressPolicyTest, DatagramsFollowTheConnection) {
  Judge camera{"rtsp://10.0.0.7/1"};
  EXPECT_TRUE(camera.sends("10.0.0.7:50001"));
  EXPECT_FALSE(camera.sends("1.1.1.1:50001"));
  EXPECT_TRUE(camera.connects("1.1.1.1:554"));
  EXPECT_TRUE(camera.sends("1.1.1.1:50001"));
  EXPECT_FALSE(camera.sends("255.255.255.255:5000"));
  EXPECT_TRUE(camera.binds("0.0.0.0:0"));
  EXPECT_TRUE(camera.binds("239.0.0.1:5000"));
  EXPECT_FALSE(camera.binds("0.0.0.0:53"));
  EXPECT_FALSE(camera.binds("0.0.0.0:5000", Transport::kTcp));
}

TEST(AddressPolicyTest, ACallersDatagramsGoToItsHost) {
  Judge caller{"srt://10.0.0.7:9000"};
  EXPECT_TRUE(caller.sends("10.0.0.7:9000"));
  EXPECT_TRUE(caller.sends("[::ffff:10.0.0.7]:9000"));
  EXPECT_FALSE(caller.sends("1.1.1.1:9000"));
  EXPECT_FALSE(caller.connects("1.1.1.1:9000"));
  EXPECT_TRUE(caller.binds("[::]:0"));
}

TEST(AddressPolicyTest, AListenerAnswersAnySender) {
  Judge listener{"srt://:9000"};
  EXPECT_TRUE(listener.sends("10.0.0.7:40000"));
  EXPECT_TRUE(listener.sends("127.0.0.1:40000"));
  EXPECT_FALSE(listener.sends("127.0.0.1:53"));
  EXPECT_FALSE(listener.sends("239.0.0.1:40000"));
  EXPECT_FALSE(listener.sends("0.0.0.0:40000"));
  EXPECT_FALSE(listener.connects("1.1.1.1:80"));
  EXPECT_TRUE(listener.binds("0.0.0.0:9000"));
  EXPECT_FALSE(listener.binds("0.0.0.0:9001"));
  EXPECT_FALSE(listener.binds("0.0.0.0:0"));
}

TEST(AddressPolicyTest, APipelineReachesWhatItsTextNames) {
  Judge pipeline{"gst:tcpserversrc port=5000 ! x souphttpsrc location=http://10.0.0.1/ ! y"};
  EXPECT_TRUE(pipeline.connects("10.0.0.1:80"));
  EXPECT_FALSE(pipeline.connects("10.0.0.2:80"));
  EXPECT_TRUE(pipeline.binds("0.0.0.0:5000", Transport::kTcp));
  EXPECT_FALSE(pipeline.opens("fd", "", 0, "//3"));
  EXPECT_FALSE(pipeline.opens("file", "", 0, "/etc/passwd"));
}

}  // namespace
}  // namespace transcoder::access
