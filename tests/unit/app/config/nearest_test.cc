#include "app/config/nearest.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(NearestTest, CountsEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("rate", "rate"), 0U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(NearestTest, SwappedLettersCountAsOneEdit) {
  EXPECT_EQ(edit_distance("prseet", "preset"), 1U);
}

TEST(NearestTest, FindsTheNearest) {
  EXPECT_EQ(nearest("lsiten", {"threads", "listen", "latency"}), "listen");
}

TEST(NearestTest, IsEmptyWhenNoWordIsSimilar) {
  EXPECT_EQ(nearest("xylophone", {"max", "min"}), "");
}

}  // namespace
}  // namespace app
