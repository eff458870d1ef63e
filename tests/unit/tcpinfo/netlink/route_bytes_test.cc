#include "tcpinfo/netlink/route_bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

namespace tcpinfo {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes(std::initializer_list<int> values) {
  Bytes out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

Bytes number(std::uint32_t value) {
  const auto all = std::as_bytes(std::span{&value, 1});
  return {all.begin(), all.end()};
}

const Prefix kNetwork{AF_INET, 24, bytes({203, 0, 113, 0})};

/// The default route through interface 2.
RawRoute default_route() {
  RawRoute route;
  route.header.rtm_family = AF_INET;
  route.header.rtm_table = RT_TABLE_MAIN;
  route.header.rtm_type = RTN_UNICAST;
  route.header.rtm_protocol = RTPROT_DHCP;
  wire::put_attribute(route.attributes, RTA_OIF, number(2));
  return route;
}

RawRoute copy_of(const RawRoute& route, std::uint32_t initcwnd = 30) {
  return *RawRoute::parse(copy_for(route, kNetwork, initcwnd));
}

TEST(RouteBytesTest, ACopyServesTheNetworkAlone) {
  const auto copy = copy_of(default_route());
  EXPECT_EQ(copy.header.rtm_dst_len, 24);
  EXPECT_EQ(copy.header.rtm_protocol, RTPROT_STATIC);
  EXPECT_TRUE(serves(copy, kNetwork));
  EXPECT_FALSE(serves(copy, {AF_INET, 24, bytes({203, 0, 114, 0})}));
  EXPECT_EQ(copy.number(RTA_OIF), 2u);
}

TEST(RouteBytesTest, ACopyKeepsOtherMetrics) {
  auto route = default_route();
  Bytes metrics;
  wire::put_attribute(metrics, RTAX_MTU, number(1400));
  wire::put_attribute(metrics, RTAX_INITCWND, number(10));
  wire::put_attribute(route.attributes, RTA_METRICS, metrics);
  const auto copy = copy_of(route);
  EXPECT_EQ(copy.metric(RTAX_MTU), 1400u);
  EXPECT_EQ(copy.metric(RTAX_INITCWND), 30u);
}

// More than a page, in which libnl makes messages if nobody says their size.
TEST(RouteBytesTest, ACopyKeepsAllPaths) {
  auto route = default_route();
  Bytes paths;
  for (int i = 0; i < 700; ++i) {
    const rtnexthop path{.rtnh_len = sizeof path, .rtnh_flags = RTNH_F_LINKDOWN, .rtnh_ifindex = i};
    const auto all = std::as_bytes(std::span{&path, 1});
    paths.insert(paths.end(), all.begin(), all.end());
  }
  wire::put_attribute(route.attributes, RTA_MULTIPATH, paths);
  const auto copy = copy_of(route);
  ASSERT_TRUE(copy.find(RTA_MULTIPATH));
  EXPECT_EQ(copy.find(RTA_MULTIPATH)->size(), paths.size());
  EXPECT_EQ(wire::front<rtnexthop>(*copy.find(RTA_MULTIPATH))->rtnh_flags, 0);
}

TEST(RouteBytesTest, ANexthopObjectStandsForItsPath) {
  auto route = default_route();
  wire::put_attribute(route.attributes, RTA_NH_ID, number(5));
  const auto copy = copy_of(route);
  EXPECT_EQ(copy.number(RTA_NH_ID), 5u);
  EXPECT_FALSE(copy.find(RTA_OIF));
}

TEST(RouteBytesTest, TheLongerPrefixIsPreferredThenTheLowerPriority) {
  const auto wide = default_route();
  const auto narrow = copy_of(wide);
  EXPECT_TRUE(preferred(narrow, wide));
  EXPECT_FALSE(preferred(wide, narrow));
  auto later = wide;
  wire::put_attribute(later.attributes, RTA_PRIORITY, number(100));
  EXPECT_TRUE(preferred(wide, later));
  EXPECT_FALSE(preferred(wide, wide));
}

TEST(RouteBytesTest, AShortMessageIsNoRoute) {
  const auto whole = copy_for(default_route(), kNetwork, 30);
  EXPECT_FALSE(RawRoute::parse(wire::Bytes{whole}.first(sizeof(rtmsg) - 1)));
}

}  // namespace
}  // namespace tcpinfo
