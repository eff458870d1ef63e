#include "tcpinfo/netlink/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "recorded_messages.h"

namespace tcpinfo::wire {
namespace {

using ::testing::ElementsAre;

std::vector<int> types(std::string_view hex) {
  const auto bytes = message(hex);
  std::vector<int> out;
  Bytes rest{bytes};
  while (const auto attribute = take_attribute(rest)) out.push_back(attribute->type);
  return out;
}

TEST(WireTest, AttributesArePadded) {
  EXPECT_THAT(types("0500"
                    "0100"
                    "aa000000"
                    "0600"
                    "0200"
                    "bbbb0000"),
              ElementsAre(1, 2));
}

TEST(WireTest, TheLastAttributeNeedsNoPadding) {
  EXPECT_THAT(types("0500"
                    "0100"
                    "aa"),
              ElementsAre(1));
}

TEST(WireTest, FlagsAreNotPartOfTheType) {
  EXPECT_THAT(types("0400"
                    "0780"),
              ElementsAre(7));
}

TEST(WireTest, AnAttributeMayHaveNoValue) {
  EXPECT_THAT(types("0400"
                    "0300"),
              ElementsAre(3));
}

TEST(WireTest, ALengthBelowTheHeaderEndsTheParsing) {
  EXPECT_THAT(types("0000"
                    "0100"
                    "0400"
                    "0200"),
              ElementsAre());
  EXPECT_THAT(types("0300"
                    "0100"
                    "0400"
                    "0200"),
              ElementsAre());
}

TEST(WireTest, ALengthBeyondTheEndEndsTheParsing) {
  EXPECT_THAT(types("0400"
                    "0100"
                    "ff00"
                    "0200"
                    "aaaa"),
              ElementsAre(1));
}

TEST(WireTest, MessagesFollowEachOther) {
  const auto bytes = message(
      "12000000"
      "1400"
      "0000"
      "00000000"
      "00000000"
      "aabb"
      "0000"
      "11000000"
      "1400"
      "0000"
      "00000000"
      "00000000"
      "cc");
  Bytes rest{bytes};
  EXPECT_EQ(take_message(rest)->size(), 2u);
  EXPECT_EQ(take_message(rest)->front(), std::byte{0xcc});
  EXPECT_FALSE(take_message(rest));
}

}  // namespace
}  // namespace tcpinfo::wire
