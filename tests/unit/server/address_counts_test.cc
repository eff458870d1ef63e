#include "server/address_counts.h"

#include <gtest/gtest.h>

#include <string>

namespace server {
namespace {

Address address(const std::string& text) { return *Address::parse(text); }

TEST(AddressCountsTest, LimitsAnAddress) {
  AddressCounts counts{100, 2, {}};
  counts.add(address("192.0.2.1"));
  EXPECT_FALSE(counts.full(address("192.0.2.1")));
  counts.add(address("::ffff:192.0.2.1"));
  EXPECT_TRUE(counts.full(address("192.0.2.1")));
  EXPECT_FALSE(counts.full(address("192.0.2.2")));
  counts.remove(address("192.0.2.1"));
  EXPECT_FALSE(counts.full(address("192.0.2.1")));
}

TEST(AddressCountsTest, LimitsTheNetworkOfAHost) {
  AddressCounts counts{100, 1, {}};
  counts.add(address("2001:db8::1"));
  EXPECT_TRUE(counts.full(address("2001:db8::2:3:4:5")));
  EXPECT_FALSE(counts.full(address("2001:db8:0:1::1")));
}

TEST(AddressCountsTest, LimitsHomesAndSites) {
  AddressCounts counts{1000, 10, {}};
  const auto add = [&](const std::string& network, int count) {
    for (int i = 0; i < count; ++i) counts.add(address(network + std::to_string(i) + "::1"));
  };
  add("2001:db8:0:", 20);  // :0: to :19:, all in one /56
  EXPECT_EQ(counts.full(address("2001:db8:0:ff::1")), AddressBlock::of(address("2001:db8::"), 56));
  EXPECT_FALSE(counts.full(address("2001:db8:0:100::1")));
  add("2001:db8:0:1", 20);  // :10: to :119:
  EXPECT_EQ(counts.full(address("2001:db8:0:200::1")), AddressBlock::of(address("2001:db8::"), 48));
  EXPECT_FALSE(counts.full(address("2001:db8:1::1")));
}

TEST(AddressCountsTest, ASiteHasAtMostHalfOfAll) {
  AddressCounts counts{60, 20, {}};
  for (int i = 0; i < 30; ++i) {
    counts.add(address("2001:db8:0:" + std::to_string(i) + "00::1"));
  }
  EXPECT_TRUE(counts.full(address("2001:db8::1")));
}

TEST(AddressCountsTest, AnAddressMayHaveMoreThanHalfIfTheOperatorSaysSo) {
  AddressCounts counts{4, 3, {}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(counts.full(address("2001:db8::1")));
    counts.add(address("2001:db8::1"));
  }
  EXPECT_TRUE(counts.full(address("2001:db8::1")));
}

TEST(AddressCountsTest, ProxiesHaveNoLimit) {
  AddressCounts counts{100, 1, {*Network::parse("192.0.2.0/24"), *Network::parse("2001:db8::/32")}};
  for (const std::string text : {"192.0.2.1", "2001:db8::1"}) {
    counts.add(address(text));
    EXPECT_FALSE(counts.full(address(text)));
  }
}

TEST(AddressBlockTest, ContainsItsAddresses) {
  const auto site = AddressBlock::largest(address("2001:db8:0:7::1"));
  EXPECT_TRUE(site.contains(address("2001:db8:0:8::1")));
  EXPECT_FALSE(site.contains(address("2001:db8:1::1")));
  EXPECT_FALSE(site.contains(address("192.0.2.1")));
  const auto one = AddressBlock::largest(address("192.0.2.1"));
  EXPECT_TRUE(one.contains(address("192.0.2.1")));
  EXPECT_FALSE(one.contains(address("192.0.2.2")));
  EXPECT_FALSE(one.contains(address("2001:db8:1::1")));
}

}  // namespace
}  // namespace server
