#include "app/segments/query.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(QueryTest, ReturnsAKeysValue) {
  EXPECT_EQ(value_in("a=1&b=2", "b"), "2");
  EXPECT_EQ(value_in("a=1&b=", "b"), "");
  EXPECT_FALSE(value_in("ab=1&b", "b"));
  EXPECT_FALSE(value_in("", "b"));
}

TEST(QueryTest, ParsesOnlyWholeNumbers) {
  EXPECT_EQ(number_in<unsigned>("_HLS_part=7", "_HLS_part"), 7u);
  for (const char* query : {"n=", "n=-1", "n=1x", "n=99999999999"})
    EXPECT_FALSE(number_in<unsigned>(query, "n")) << query;
}

}  // namespace
}  // namespace app
