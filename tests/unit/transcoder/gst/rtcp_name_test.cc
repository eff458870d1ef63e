#include "transcoder/gst/rtcp_name.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// A sender report of the SSRC 01020304, without report blocks.
Bytes report() {
  Bytes result{0x80, 200, 0, 6, 1, 2, 3, 4};
  result.resize(28);
  return result;
}

TEST(RtcpNameTest, ANameIsAddedToAReport) {
  auto expected = report();
  const Bytes description{0x81, 202, 0,   4,   1,   2,   3, 4, 1, 6,
                          's',  'e', 'n', 'd', 'e', 'r', 0, 0, 0, 0};
  expected.insert(expected.end(), description.begin(), description.end());
  EXPECT_EQ(with_name(report()), expected);
}

TEST(RtcpNameTest, ANameIsKept) {
  auto named = report();
  const Bytes description{0x81, 202, 0, 3, 1, 2, 3, 4, 1, 2, 'x', 'y', 0, 0, 0, 0};
  named.insert(named.end(), description.begin(), description.end());
  EXPECT_EQ(with_name(named), std::nullopt);
}

TEST(RtcpNameTest, OtherPacketsAreLeftAlone) {
  EXPECT_EQ(with_name(Bytes{}), std::nullopt);
  EXPECT_EQ(with_name(Bytes{0x81, 203, 0, 1, 1, 2, 3, 4}), std::nullopt) << "a goodbye";
  auto padded = report();
  padded[0] |= 0x20;
  EXPECT_EQ(with_name(padded), std::nullopt);
  auto cut = report();
  cut.resize(20);
  EXPECT_EQ(with_name(cut), std::nullopt);
}

}  // namespace
}  // namespace transcoder
