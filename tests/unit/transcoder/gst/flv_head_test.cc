#include "transcoder/gst/flv_head.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace transcoder {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr int kAudio = 8;
constexpr int kVideo = 9;
constexpr int kScript = 18;

/// The header, and tags of these types with 300 bytes of data each.
Bytes flv(std::initializer_list<int> types) {
  Bytes result{'F', 'L', 'V', 1, 1, 0, 0, 0, 9, 0, 0, 0, 0};
  for (const int type : types) {
    const Bytes tag{static_cast<std::uint8_t>(type), 0, 1, 44, 0, 0, 0, 0, 0, 0, 0};
    result.insert(result.end(), tag.begin(), tag.end());
    result.insert(result.end(), 300, kVideo);
    result.insert(result.end(), {0, 0, 1, 55});
  }
  return result;
}

TEST(FlvHeadTest, AHeadHasNeitherVideoNorAudio) {
  EXPECT_TRUE(is_flv_head(flv({})));
  EXPECT_TRUE(is_flv_head(flv({kScript})));
  EXPECT_TRUE(is_flv_head(flv({kScript, kScript})));
  EXPECT_FALSE(is_flv_head(flv({kVideo})));
  EXPECT_FALSE(is_flv_head(flv({kScript, kAudio})));
  EXPECT_FALSE(is_flv_head(flv({kScript, kScript, kVideo})));
}

TEST(FlvHeadTest, TheTagsOfAHeadMayBeCutAnywhere) {
  auto head = flv({kScript, kScript});
  for (const auto header = flv({}).size(); head.size() >= header; head.pop_back()) {
    EXPECT_TRUE(is_flv_head(head)) << head.size();
  }
}

TEST(FlvHeadTest, AnythingElseIsNone) {
  EXPECT_FALSE(is_flv_head({}));
  EXPECT_FALSE(is_flv_head(Bytes{'F', 'L', 'V', 1}));
  EXPECT_FALSE(is_flv_head(Bytes(1000, 0x47)));
}

}  // namespace
}  // namespace transcoder
