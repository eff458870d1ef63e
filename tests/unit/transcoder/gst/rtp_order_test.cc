#include "transcoder/gst/rtp_order.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(RtpPacketTest, HasAPayload) {
  const Bytes plain{0x80, 33, 1, 2, 0, 0, 0, 0, 0, 1, 2, 3, 0x47, 9};
  const auto packet = parse_rtp(plain);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->payload_type, 33);
  EXPECT_EQ(packet->sequence, 0x102);
  EXPECT_EQ(packet->source, 0x10203U);
  EXPECT_EQ(Bytes(packet->payload.begin(), packet->payload.end()), (Bytes{0x47, 9}));
}

TEST(RtpPacketTest, MayHaveSourcesAnExtensionAndPadding) {
  const Bytes full{0xb2, 0xa1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1,  // version 2, P, X, CC 2; M, type 33
                   0,    0,    0, 2, 0, 0, 0, 3,              // two contributing sources
                   0xbe, 0xde, 0, 1, 1, 2, 3, 4,              // an extension of one word
                   0x47, 9,    0, 0, 3};                      // padding of three bytes
  const auto packet = parse_rtp(full);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->payload_type, 33);
  EXPECT_EQ(Bytes(packet->payload.begin(), packet->payload.end()), (Bytes{0x47, 9}));
}

TEST(RtpPacketTest, IsRefusedIfDamaged) {
  EXPECT_FALSE(parse_rtp(Bytes{}));
  EXPECT_FALSE(parse_rtp(Bytes(12, 0x47)));
  EXPECT_FALSE(parse_rtp(Bytes{0x8f, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})) << "no room for sources";
  EXPECT_FALSE(parse_rtp(Bytes{0x90, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 9}));
  EXPECT_FALSE(parse_rtp(Bytes{0xa0, 33, 0, 0, 0, 0, 0, 0, 0, 0, 0, 200}));
}

/// Packets whose payload is the lower byte of their number.
class Order {
 public:
  /// Returns what comes out.
  Bytes push(std::initializer_list<int> sequences, std::uint32_t source = 1) {
    Bytes out;
    for (const int sequence : sequences) {
      const Bytes payload{static_cast<std::uint8_t>(sequence)};
      const auto next = order_.push({33, static_cast<std::uint16_t>(sequence), source,
                                     std::span<const std::uint8_t>{payload}});
      out.insert(out.end(), next.begin(), next.end());
    }
    return out;
  }

 private:
  RtpOrder order_;
};

TEST(RtpOrderTest, PassesWhatIsInOrder) {
  Order order;
  EXPECT_EQ(order.push({7}), (Bytes{7}));
  EXPECT_EQ(order.push({8, 9}), (Bytes{8, 9}));
}

TEST(RtpOrderTest, PutsNeighboursInOrder) {
  Order order;
  EXPECT_EQ(order.push({1, 3, 2, 6, 5, 4, 7}), (Bytes{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(order.push({9, 10, 11, 12, 13, 14, 15, 8}), (Bytes{8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(RtpOrderTest, NumbersWrap) {
  Order order;
  EXPECT_EQ(order.push({65534, 0, 65535, 2, 1}), (Bytes{254, 255, 0, 1, 2}));
}

TEST(RtpOrderTest, WaitsNotForEverForALostOne) {
  Order order;
  EXPECT_EQ(order.push({1, 3, 4, 5, 6, 7, 8, 9, 10}), (Bytes{1}));
  EXPECT_EQ(order.push({11}), (Bytes{3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(order.push({2, 12}), (Bytes{12})) << "it is too late for 2";
}

TEST(RtpOrderTest, LeavesOutDoubles) {
  Order order;
  EXPECT_EQ(order.push({1, 1, 2, 4, 4, 3, 3, 5}), (Bytes{1, 2, 3, 4, 5}));
}

TEST(RtpOrderTest, ASenderMayBeginAnew) {
  Order order;
  EXPECT_EQ(order.push({1000, 1002}), (Bytes{232}));
  EXPECT_EQ(order.push({30000, 30001}), (Bytes{234, 48, 49})) << "another number";
  EXPECT_EQ(order.push({5}, 2), (Bytes{5})) << "another source";
  order.push({100, 101, 102, 103}, 2);
  EXPECT_EQ(order.push({50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61}, 2).back(), 61)
      << "a number a little smaller";
}

}  // namespace
}  // namespace transcoder
