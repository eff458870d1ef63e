#include "app/segments/known_players.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(KnownPlayersTest, OnlyGStreamerNeedsTwoSegments) {
  EXPECT_EQ(segments_to_begin("GStreamer souphttpsrc 1.22.0 libsoup/3.2.3"), 2U);
  EXPECT_EQ(segments_to_begin("Lavf/59.27.100"), 1U);
  EXPECT_EQ(segments_to_begin("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15"), 1U);
  EXPECT_EQ(segments_to_begin(""), 1U);
}

}  // namespace
}  // namespace app
