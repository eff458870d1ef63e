#include "server/peer.h"

#include <gtest/gtest.h>

#include <string>

namespace server {
namespace {

using namespace std::string_literals;

const std::vector<Network> kSenders{*Network::parse("192.0.2.1")};

/// A header of version 2 with `extension` bytes behind the addresses.
std::string header(std::size_t extension) {
  const auto length = 12 + extension;
  return "\r\n\r\n\0\r\nQUIT\n\x21\x11"s + static_cast<char>(length >> 8) +
         static_cast<char>(length & 0xff) + "\xc6\x33\x64\x07\x0a\0\0\x01\x12\x67\x1f\x90"s +
         std::string(extension, 'x');
}

Peer proxy() { return {*Address::parse("192.0.2.1"), kSenders, kSenders}; }

TEST(PeerTest, ReturnsTheBytesBehindTheHeader) {
  auto peer = proxy();
  ASSERT_FALSE(peer.begun());
  EXPECT_EQ(peer.begin(header(7) + "GET "), "GET ");
  EXPECT_TRUE(peer.begun());
  EXPECT_EQ(peer.forwarded_client()->text(), "198.51.100.7");
}

TEST(PeerTest, RejectsALongHeaderHoweverItComes) {
  const auto longest = header(4096 - 28);
  const auto longer = header(4096 - 27);
  EXPECT_TRUE(proxy().begin(longest));
  EXPECT_FALSE(proxy().begin(longer));
  auto peer = proxy();
  EXPECT_TRUE(peer.begin(longer.substr(0, 100)));
  EXPECT_FALSE(peer.begin(longer.substr(100)));
}

TEST(PeerTest, OthersBeginWithoutAHeader) {
  EXPECT_TRUE(Peer(*Address::parse("192.0.2.2"), kSenders, kSenders).begun());
}

}  // namespace
}  // namespace server
