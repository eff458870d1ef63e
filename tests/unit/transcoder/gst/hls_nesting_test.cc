#include "transcoder/gst/hls_nesting.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

const std::string kMedia = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n";

std::string multivariant(const std::string& variant) {
  return "#EXTM3U\r\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\r\n\r\n# a comment\r\n" + variant + "\r\n";
}

TEST(HlsNesting, VariantsMayBeMediaPlaylists) {
  HlsNesting nesting;
  for (int i = 0; i < 3; ++i) {  // it is read again
    EXPECT_EQ(nesting.check("http://a/x/main.m3u8", multivariant("low.m3u8")), "");
    EXPECT_EQ(nesting.check("http://a/x/low.m3u8", kMedia), "");
  }
}

TEST(HlsNesting, FindsAPlaylistThatNamesItself) {
  for (const auto* variant : {"loop.m3u8", "/x/loop.m3u8", "http://a/x/loop.m3u8"}) {
    EXPECT_EQ(HlsNesting{}.check("http://a/x/loop.m3u8", multivariant(variant)),
              "the HLS playlist names itself as a variant");
  }
}

TEST(HlsNesting, FindsVariantsThatHaveVariants) {
  HlsNesting nesting;
  EXPECT_EQ(nesting.check("http://a/x/1.m3u8", multivariant("2.m3u8")), "");
  EXPECT_EQ(nesting.check("http://a/x/2.m3u8", multivariant("1.m3u8")),
            "the HLS playlist names http://a/x/2.m3u8 as a variant, which lists variants itself "
            "instead of segments");
}

TEST(HlsNesting, ForgetsTheOldestVariants) {
  HlsNesting nesting;
  for (int i = 0; i < 2000; ++i) {
    EXPECT_EQ(nesting.check("http://a/main.m3u8", multivariant(std::to_string(i) + ".m3u8")), "");
  }
  EXPECT_EQ(nesting.check("http://a/0.m3u8", multivariant("x.m3u8")), "");
  EXPECT_NE(nesting.check("http://a/1999.m3u8", multivariant("x.m3u8")), "");
}

}  // namespace
}  // namespace transcoder
