#include "server/query.h"

#include <gtest/gtest.h>

namespace server {
namespace {

TEST(QueryTest, ReturnsAKeysValue) {
  EXPECT_EQ(value_in("a=1&b=2", "b"), "2");
  EXPECT_EQ(value_in("a=1&b=", "b"), "");
  EXPECT_FALSE(value_in("ab=1&b", "b"));
  EXPECT_FALSE(value_in("", "b"));
}

TEST(QueryTest, ParsesOnlyWholeNumbers) {
  const auto number = number_in<unsigned>("_HLS_part=7", "_HLS_part");
  ASSERT_TRUE(number);
  EXPECT_EQ(*number, 7u);
  for (const char* query : {"n=", "n=-1", "n=1x", "n=99999999999"})
    EXPECT_FALSE(number_in<unsigned>(query, "n")) << query;
}

TEST(QueryTest, AnAbsentNumberIsNoMistake) {
  const auto number = number_in<unsigned>("_HLS_part=7", "n");
  ASSERT_TRUE(number);
  EXPECT_FALSE(*number);
}

TEST(QueryTest, KeepsForeignKeys) {
  EXPECT_EQ(kept_query(""), "");
  EXPECT_EQ(kept_query("token=a%20b"), "?token=a%20b");
  EXPECT_EQ(kept_query("abr=player&token=1&&_HLS_msn=7&_HLS_part=1&flag&rate=2M"), "?token=1&flag");
  EXPECT_EQ(kept_query("abrx=1&_hls=2"), "?abrx=1&_hls=2");
}

TEST(QueryTest, KeepsNothingThatWouldEndAQuotedUrl) {
  EXPECT_EQ(kept_query("a=\"x&b=<&c=\r\n&d=1"), "?d=1");
}

}  // namespace
}  // namespace server
