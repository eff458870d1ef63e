#include "base/address.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstring>

namespace base {
namespace {

Address address(const char* text) { return *Address::parse(text); }
Network network(const char* text) { return *Network::parse(text); }

TEST(AddressTest, PrintsWhatItParsed) {
  for (const char* text : {"192.0.2.1", "0.0.0.0", "::", "::1", "2001:db8::1"}) {
    EXPECT_EQ(address(text).text(), text);
  }
}

TEST(AddressTest, TreatsMappedAddressesAsIpv4) {
  EXPECT_EQ(address("::ffff:192.0.2.1"), address("192.0.2.1"));
  EXPECT_TRUE(address("::ffff:192.0.2.1").is_ipv4());
  EXPECT_FALSE(address("::1").is_ipv4());
}

TEST(AddressTest, KnowsWhichIpv4AddressATranslatorReaches) {
  EXPECT_EQ(address("64:ff9b::10.0.0.1").translated(), address("10.0.0.1"));
  EXPECT_EQ(address("2002:7f00:1::1").translated(), address("127.0.0.1"));
  for (const char* other : {"192.0.2.1", "2001:db8::1", "64:ff9b:1::1", "::10.0.0.1"}) {
    EXPECT_EQ(address(other).translated(), address(other));
  }
}

TEST(AddressTest, HasPrefixes) {
  const auto address = *Address::parse("2001:db8:ffff:ffff:ffff::1");
  EXPECT_EQ(address.prefix(128), address);
  EXPECT_EQ(address.prefix(64).text(), "2001:db8:ffff:ffff::");
  EXPECT_EQ(address.prefix(56).text(), "2001:db8:ffff:ff00::");
  EXPECT_EQ(address.prefix(50).text(), "2001:db8:ffff:c000::");
  EXPECT_EQ(address.prefix(0), Address{});
}

TEST(AddressTest, ReportsInvalidAddresses) {
  for (const char* text :
       {"", "192.0.2", "192.0.2.256", "example.org", "2001:db8::g", "fe80::1%1"}) {
    const auto parsed = Address::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().find("is not an IP address"), std::string::npos);
  }
  EXPECT_FALSE(Address::parse({"192.0.2.1\0x", 11}));
}

TEST(AddressTest, ConvertsFromASocketAddress) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(0xc0000201);
  sockaddr_storage storage{};
  std::memcpy(&storage, &v4, sizeof v4);
  EXPECT_EQ(Address::of(storage).text(), "192.0.2.1");
}

TEST(NetworkTest, ContainsOnlyItsAddresses) {
  EXPECT_TRUE(network("10.0.0.0/8").contains(address("10.255.0.1")));
  EXPECT_FALSE(network("10.0.0.0/8").contains(address("11.0.0.1")));
  EXPECT_TRUE(network("10.0.0.128/25").contains(address("10.0.0.200")));
  EXPECT_FALSE(network("10.0.0.128/25").contains(address("10.0.0.127")));
  EXPECT_TRUE(network("2001:db8::/33").contains(address("2001:db8:7fff::1")));
  EXPECT_FALSE(network("2001:db8::/33").contains(address("2001:db8:8000::1")));
}

TEST(NetworkTest, ABareAddressIsABlockOfOne) {
  EXPECT_TRUE(network("127.0.0.1").contains(address("127.0.0.1")));
  EXPECT_FALSE(network("127.0.0.1").contains(address("127.0.0.2")));
  EXPECT_EQ(network("127.0.0.1"), network("127.0.0.1/32"));
  EXPECT_EQ(network("::1"), network("::1/128"));
}

TEST(NetworkTest, KeepsTheFamiliesApart) {
  EXPECT_FALSE(network("::/0").contains(address("10.0.0.1")));
  EXPECT_TRUE(network("::/0").contains(address("2001:db8::1")));
  EXPECT_TRUE(network("0.0.0.0/0").contains(address("::ffff:10.0.0.1")));
  EXPECT_FALSE(network("0.0.0.0/0").contains(address("::1")));
}

TEST(NetworkTest, SaysHowToFixBitsBeyondTheLength) {
  const auto parsed = Network::parse("10.1.2.3/8");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error(),
            "\"10.1.2.3/8\" has bits set beyond its prefix length: write 10.0.0.0/8");
}

TEST(NetworkTest, RejectsALengthBeyondTheFamilys) {
  for (const char* text : {"10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8x"}) {
    EXPECT_FALSE(Network::parse(text)) << text;
  }
  EXPECT_NE(Network::parse("10.0.0.0/33").error().find("0 to 32"), std::string::npos);
}

TEST(NetworkTest, PrintsWhatItParsed) {
  EXPECT_EQ(network("10.0.0.0/8").text(), "10.0.0.0/8");
  EXPECT_EQ(network("2001:db8::/32").text(), "2001:db8::/32");
}

TEST(EndpointTest, PrintsWhatItParsed) {
  for (const char* text : {"192.0.2.1:8080", "[::]:8080", "[2001:db8::1]:0", "0.0.0.0:65535"}) {
    EXPECT_EQ(Endpoint::parse(text)->text(), text);
  }
}

TEST(EndpointTest, WithoutAHostMeansAnyAddress) {
  EXPECT_EQ(Endpoint::parse(":8080")->text(), "[::]:8080");
}

TEST(EndpointTest, ReportsInvalidEndpoints) {
  const auto error = [](const char* text) { return Endpoint::parse(text).error(); };
  EXPECT_NE(error("192.0.2.1").find("the port is missing"), std::string::npos);
  EXPECT_NE(error("[::1]").find("the port is missing"), std::string::npos);
  EXPECT_NE(error("::1:8080").find("needs brackets"), std::string::npos);
  EXPECT_NE(error("[10.0.0.1]:80").find("brackets are for IPv6"), std::string::npos);
  EXPECT_NE(error("10.0.0.1:65536").find("0 to 65535"), std::string::npos);
  EXPECT_NE(error("10.0.0.1:").find("0 to 65535"), std::string::npos);
  EXPECT_NE(error("localhost:80").find("not an IP address"), std::string::npos);
}

TEST(EndpointTest, ConvertsToASocketAddressAndBack) {
  for (const char* text : {"192.0.2.1:8080", "[2001:db8::1]:443"}) {
    EXPECT_EQ(Endpoint::of(Endpoint::parse(text)->socket_address()).text(), text);
  }
}

}  // namespace
}  // namespace base
