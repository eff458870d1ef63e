#include "tcpinfo/netlink/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "netlab/network_namespace.h"

namespace tcpinfo {
namespace {

using ::testing::HasSubstr;

/// The output of an ip(8) command in this thread's network namespace.
std::string ip(const std::string& arguments) {
  const std::unique_ptr<FILE, int (*)(FILE*)> out{
      ::popen(("ip " + arguments + " 2>/dev/null").c_str(), "r"), ::pclose};
  std::string text;
  for (int c = std::fgetc(out.get()); c != EOF; c = std::fgetc(out.get())) {
    text += static_cast<char>(c);
  }
  return text;
}

/// A network namespace with one interface and routes through it.
class RoutesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
    namespace_.emplace();
    visit_.emplace(*namespace_);
    ip("tuntap add dev t0 mode tun");
    ip("link set t0 up");
    ip("addr add 192.0.2.1/24 dev t0");
    ip("route add default via 192.0.2.254");
    ip("-6 addr add 2001:db8::1/64 dev t0 nodad");
    ip("-6 route add default via 2001:db8::fe");
    if (ip("route").empty()) GTEST_SKIP() << "no ip(8) that makes TUN devices, or no /dev/net/tun";
  }

  RouteChange set(const std::string& network, std::uint32_t segments) {
    const auto change = set_initcwnd(network, segments);
    EXPECT_TRUE(change) << change.error();
    return change ? *change : RouteChange::kNone;
  }

 private:
  std::optional<netlab::NetworkNamespace> namespace_;
  std::optional<netlab::NetworkNamespace::Visit> visit_;
};

TEST_F(RoutesTest, AnExistingRouteGetsTheMetric) {
  EXPECT_EQ(set("192.0.2.0/24", 30), RouteChange::kReplaced);
  const auto routes = ip("route");
  EXPECT_THAT(routes, HasSubstr("192.0.2.0/24 dev t0 proto kernel scope link src 192.0.2.1"));
  EXPECT_THAT(routes, HasSubstr("initcwnd 30"));
}

TEST_F(RoutesTest, ANetworkServedByAWiderRouteGetsItsOwnRoute) {
  EXPECT_EQ(set("203.0.113.0/24", 30), RouteChange::kAdded);
  EXPECT_THAT(ip("route show 203.0.113.0/24"), HasSubstr("via 192.0.2.254 dev t0 proto static"));
  EXPECT_THAT(ip("route show 203.0.113.0/24"), HasSubstr("initcwnd 30"));
  EXPECT_THAT(ip("route show default"), testing::Not(HasSubstr("initcwnd")));
}

TEST_F(RoutesTest, SettingTheSameValueAgainChangesNothing) {
  set("203.0.113.0/24", 30);
  const auto routes = ip("route");
  EXPECT_EQ(set("203.0.113.0/24", 30), RouteChange::kNone);
  EXPECT_EQ(ip("route"), routes);
}

TEST_F(RoutesTest, AnotherValueReplacesTheFirst) {
  set("203.0.113.0/24", 30);
  EXPECT_EQ(set("203.0.113.0/24", 20), RouteChange::kReplaced);
  EXPECT_EQ(find_route("203.0.113.0/24")->initcwnd, 20u);
}

TEST_F(RoutesTest, TheLongestPrefixServes) {
  ip("route add 203.0.0.0/16 via 192.0.2.9");
  ip("route add 203.0.113.128/25 via 192.0.2.8");
  set("203.0.113.0/24", 30);
  EXPECT_THAT(ip("route show 203.0.113.0/24"), HasSubstr("via 192.0.2.9 "));
}

TEST_F(RoutesTest, TheLowestPriorityValueServes) {
  ip("route add 203.0.113.0/24 via 192.0.2.9 metric 200");
  ip("route add 203.0.113.0/24 via 192.0.2.8 metric 100");
  set("203.0.113.0/24", 30);
  EXPECT_THAT(ip("route show 203.0.113.0/24 metric 100"), HasSubstr("initcwnd 30"));
  EXPECT_THAT(ip("route show 203.0.113.0/24 metric 200"), testing::Not(HasSubstr("initcwnd")));
}

TEST_F(RoutesTest, SetsTheDefaultRoute) {
  EXPECT_EQ(set("0.0.0.0/0", 30), RouteChange::kReplaced);
  EXPECT_THAT(ip("route show default"), HasSubstr("via 192.0.2.254 dev t0"));
  EXPECT_EQ(find_route("198.51.100.0/24")->initcwnd, 30u);
}

TEST_F(RoutesTest, SetsIpv6Routes) {
  EXPECT_EQ(set("2001:db8::/64", 30), RouteChange::kReplaced);
  EXPECT_EQ(set("2001:db9::/32", 40), RouteChange::kAdded);
  EXPECT_EQ(set("2001:db9::/32", 40), RouteChange::kNone);
  EXPECT_THAT(ip("-6 route show 2001:db9::/32"), HasSubstr("via 2001:db8::fe dev t0"));
  EXPECT_THAT(ip("-6 route show 2001:db9::/32"), HasSubstr("initcwnd 40"));
}

TEST_F(RoutesTest, OtherRouteAttributesAreKept) {
  ip("route add 203.0.113.0/24 nexthop via 192.0.2.9 weight 3 nexthop via 192.0.2.8 weight 1");
  ip("route add 198.51.100.0/24 via 192.0.2.9 congctl reno rto_min 30ms");
  set("203.0.113.0/25", 30);
  set("198.51.100.0/24", 30);
  EXPECT_THAT(ip("route show 203.0.113.0/25"), HasSubstr("via 192.0.2.9 dev t0 weight 3"));
  EXPECT_THAT(ip("route show 198.51.100.0/24"), HasSubstr("congctl reno"));
  EXPECT_THAT(ip("route show 198.51.100.0/24"), HasSubstr("rto_min lock 30ms"));
}

// libnl-route 3.7 cannot read a table with such a route.
TEST_F(RoutesTest, EncapsulationOfRoutesIsKept) {
  ip("route add 203.0.113.0/24 encap ip id 5 dst 192.0.2.9 dev t0");
  if (ip("route show 203.0.113.0/24").empty()) GTEST_SKIP() << "the kernel has no LWTUNNEL";
  set("203.0.113.0/25", 30);
  EXPECT_THAT(ip("route show 203.0.113.0/25"), HasSubstr("encap ip id 5"));
}

TEST_F(RoutesTest, ANetworkWithoutARouteIsAnError) {
  ip("route del default");
  EXPECT_THAT(set_initcwnd("203.0.113.0/24", 30).error(),
              HasSubstr("no route serves 203.0.113.0/24"));
}

TEST_F(RoutesTest, RoutesOfTheMachineItselfCannotBeChanged) {
  EXPECT_THAT(set_initcwnd("127.0.0.0/8", 30).error(), HasSubstr("this machine itself"));
  EXPECT_THAT(set_initcwnd("::1/128", 30).error(), HasSubstr("this machine itself"));
}

TEST_F(RoutesTest, TheErrorNamesTheMissingCapability) {
  ASSERT_EQ(::seteuid(65534), 0);
  const auto change = set_initcwnd("203.0.113.0/24", 30);
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_THAT(change.error(), HasSubstr("needs CAP_NET_ADMIN"));
}

}  // namespace
}  // namespace tcpinfo
