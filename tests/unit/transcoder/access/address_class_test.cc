#include "transcoder/access/address_class.h"

#include <gtest/gtest.h>

namespace transcoder::access {
namespace {

base::Address address(const char* text) { return *base::Address::parse(text); }

TEST(AddressClassTest, PublicAddressesHaveNoSpecialPurpose) {
  for (const char* text :
       {"1.1.1.1",        "8.8.8.8",        "9.255.255.255",    "11.0.0.0",
        "100.63.255.255", "100.128.0.0",    "126.255.255.255",  "128.0.0.0",
        "172.15.255.255", "172.32.0.0",     "192.167.255.255",  "192.169.0.0",
        "198.17.255.255", "198.20.0.0",     "223.255.255.255",  "2606:4700::1111",
        "2a00:1450::1",   "::ffff:1.1.1.1", "64:ff9b::1.1.1.1", "2002:101:101::1"}) {
    EXPECT_EQ(special_purpose(address(text)), "") << text;
  }
}

struct Special {
  const char* text;
  const char* what;
};

/// The first and last address of each block of IANA's registries.
TEST(AddressClassTest, NamesSpecialPurposes) {
  const Special all[]{
      {"0.0.0.0", "an address of this machine"},
      {"0.255.255.255", "an address of this machine"},
      {"10.0.0.0", "a private address"},
      {"10.255.255.255", "a private address"},
      {"100.64.0.0", "a private address"},
      {"100.127.255.255", "a private address"},
      {"127.0.0.1", "an address of this machine"},
      {"127.255.255.255", "an address of this machine"},
      {"169.254.169.254", "a link-local address"},
      {"172.16.0.0", "a private address"},
      {"172.31.255.255", "a private address"},
      {"192.0.0.1", "a reserved address"},
      {"192.0.2.1", "a reserved address"},
      {"192.88.99.1", "a reserved address"},
      {"192.168.0.0", "a private address"},
      {"192.168.255.255", "a private address"},
      {"198.18.0.0", "a reserved address"},
      {"198.19.255.255", "a reserved address"},
      {"198.51.100.1", "a reserved address"},
      {"203.0.113.1", "a reserved address"},
      {"224.0.0.1", "a multicast address"},
      {"239.255.255.255", "a multicast address"},
      {"240.0.0.1", "a reserved address"},
      {"255.255.255.255", "a reserved address"},
      {"::", "an address of this machine"},
      {"::1", "an address of this machine"},
      {"::2", "a reserved address"},
      {"::10.0.0.1", "a reserved address"},
      {"64:ff9b:1::1", "a reserved address"},
      {"100::1", "a reserved address"},
      {"2001::1", "a reserved address"},
      {"2001:1ff::1", "a reserved address"},
      {"2001:db8::1", "a reserved address"},
      {"3fff::1", "a reserved address"},
      {"5f00::1", "a reserved address"},
      {"fc00::1", "a private address"},
      {"fdff::1", "a private address"},
      {"fe80::1", "a link-local address"},
      {"fec0::1", "a reserved address"},
      {"ff02::1", "a multicast address"},
  };
  for (const auto& [text, what] : all) EXPECT_EQ(special_purpose(address(text)), what) << text;
}

TEST(AddressClassTest, TakesAddressesForWhatTheyLeadTo) {
  EXPECT_EQ(special_purpose(address("::ffff:127.0.0.1")), "an address of this machine");
  EXPECT_EQ(special_purpose(address("64:ff9b::10.0.0.1")), "a private address");
  EXPECT_EQ(special_purpose(address("2002:7f00:1::1")), "an address of this machine");
}

TEST(AddressClassTest, KnowsTheAddressesOfThisMachine) {
  for (const char* text : {"127.0.0.2", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_this_machine(address(text))) << text;
  }
  EXPECT_FALSE(is_this_machine(address("10.0.0.1")));
}

TEST(AddressClassTest, KnowsWhatIsOneHost) {
  for (const char* text : {"10.0.0.1", "127.0.0.1", "fe80::1", "1.1.1.1"}) {
    EXPECT_TRUE(is_one_host(address(text))) << text;
  }
  for (const char* text : {"0.0.0.0", "::", "255.255.255.255", "239.0.0.1", "ff02::1"}) {
    EXPECT_FALSE(is_one_host(address(text))) << text;
  }
}

}  // namespace
}  // namespace transcoder::access
