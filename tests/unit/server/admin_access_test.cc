#include "server/admin_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

namespace server {
namespace {

using testing::HasSubstr;

const AdminAccess kAccess{{*Network::parse("127.0.0.0/8"), *Network::parse("::1")},
                          {*HostName::parse("tv.example")}};

Client local(const std::string& host, const std::string& origin = "") {
  const auto address = *Address::parse("127.0.0.1");
  return {.address = address, .peer = address, .host = host, .origin = origin};
}

TEST(AdminAccessTest, PermitsListedAddresses) {
  auto client = local("localhost:8080");
  EXPECT_TRUE(kAccess.permits(client));
  client.address = *Address::parse("192.0.2.1");
  EXPECT_THAT(*kAccess.refusal(client), HasSubstr("192.0.2.1 is not in admin.allow"));
}

TEST(AdminAccessTest, RefusesWhatAnUnknownProxyPassedOn) {
  auto client = local("localhost:8080");
  client.proxy = Proxy::kTrusted;
  EXPECT_TRUE(kAccess.permits(client));
  client.proxy = Proxy::kUnknown;
  client.proxy_sign = "Via";
  EXPECT_THAT(*kAccess.refusal(client), HasSubstr("(Via)"));
}

TEST(AdminAccessTest, PermitsHostsThatNoStrangerCanName) {
  std::array<char, 256> machine{};
  ASSERT_EQ(gethostname(machine.data(), machine.size() - 1), 0);
  for (const std::string host : {"127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:8080", "localhost",
                                 "LocalHost:8080", "tv.example", "TV.example:8443"}) {
    EXPECT_TRUE(kAccess.permits(local(host))) << host;
  }
  EXPECT_TRUE(kAccess.permits(local(machine.data()))) << machine.data();
}

TEST(AdminAccessTest, RefusesOtherHosts) {
  for (const std::string host :
       {"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
        "eviltv.example", "x@127.0.0.1", "", ":8080", "[evil.example]", "0x7f.1", "2130706433"}) {
    ASSERT_FALSE(kAccess.permits(local(host))) << host;
    EXPECT_THAT(*kAccess.refusal(local(host)), HasSubstr("admin.hosts"));
  }
}

TEST(AdminAccessTest, RefusesWhatAPageOfAnotherSiteLoads) {
  auto client = local("localhost:8080");
  client.cross_site = true;
  EXPECT_THAT(*kAccess.refusal(client), HasSubstr("a page of another site"));
}

TEST(AdminAccessTest, BothHostsOfAProxiedRequestHaveToBeOurs) {
  auto client = local("127.0.0.1:8080");
  client.proxy = Proxy::kTrusted;
  client.forwarded_host = "tv.example";
  EXPECT_TRUE(kAccess.permits(client));
  client.forwarded_host = "evil.example";
  EXPECT_THAT(*kAccess.refusal(client), HasSubstr("evil.example"));
  client.host = "evil.example";
  client.forwarded_host = "localhost";  // a header of the client's own
  EXPECT_THAT(*kAccess.refusal(client), HasSubstr("evil.example"));
}

TEST(AdminAccessTest, RefusesPagesOfOtherSites) {
  for (const std::string origin :
       {"http://127.0.0.1:8080", "https://127.0.0.1:8080", "https://tv.example"}) {
    EXPECT_TRUE(kAccess.permits(local("127.0.0.1:8080", origin))) << origin;
  }
  for (const std::string origin : {"http://127.0.0.1:3000", "https://evil.example", "null",
                                   "http://localhost:8080", "file://"}) {
    EXPECT_FALSE(kAccess.permits(local("127.0.0.1:8080", origin))) << origin;
  }
}

TEST(HostNameTest, IsWrittenAsInAUrl) {
  EXPECT_EQ(HostName::parse("tv-1.example.com")->name, "tv-1.example.com");
  for (const auto* text : {"", "TV.example", "http://tv.example", "tv.example:8080", "*.example"}) {
    EXPECT_FALSE(HostName::parse(text)) << text;
  }
}

}  // namespace
}  // namespace server
