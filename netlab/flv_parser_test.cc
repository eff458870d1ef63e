#include "netlab/flv_parser.h"

#include <gtest/gtest.h>

namespace netlab {
namespace {

using Bytes = std::vector<std::uint8_t>;

void append(Bytes& to, const Bytes& more) { to.insert(to.end(), more.begin(), more.end()); }

Bytes tag(std::uint8_t type, std::uint8_t milliseconds, const Bytes& data) {
  const auto size = static_cast<std::uint8_t>(data.size());
  Bytes result{type, 0, 0, size, 0, 1, milliseconds, 2, 0, 0, 0};
  append(result, data);
  append(result, {0, 0, 0, static_cast<std::uint8_t>(size + 11)});
  return result;
}

const Bytes kHeader{'F', 'L', 'V', 1, 5, 0, 0, 0, 9, 0, 0, 0, 0};
const Bytes kKeyframe{0x17, 1, 0, 0, 0, 'a', 'b', 'c'};
const Bytes kFrame{0x27, 1, 0, 0, 0, 'd'};
const Bytes kConfiguration{0x17, 0, 0, 0, 0, 'x'};
constexpr Ticks kHighTime = (std::int64_t{2} << 24) + (1 << 8);  // of every tag, in milliseconds

Bytes stream() {
  Bytes result = kHeader;
  append(result, tag(18, 0, {2, 0, 0}));
  append(result, tag(9, 0, kConfiguration));
  append(result, tag(9, 7, kKeyframe));
  append(result, tag(8, 8, {0xaf, 1, 'y'}));
  append(result, tag(9, 40, kFrame));
  return result;
}

struct Fed {
  explicit Fed(const Bytes& bytes, std::size_t piece) {
    FlvParser parser{[this](const Picture& picture) { pictures.push_back(picture); }};
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      const auto size = std::min(piece, bytes.size() - at);
      parser.feed(std::span{bytes}.subspan(at, size), {});
    }
    errors = parser.errors();
  }

  std::vector<Picture> pictures;
  std::uint64_t errors = 0;
};

class FlvParserTest : public testing::TestWithParam<std::size_t> {};

TEST_P(FlvParserTest, FindsPictures) {
  const Fed fed{stream(), GetParam()};
  ASSERT_EQ(fed.pictures.size(), 2u);
  EXPECT_EQ(fed.errors, 0u);
  EXPECT_TRUE(fed.pictures[0].keyframe);
  EXPECT_EQ(fed.pictures[0].pts, (kHighTime + 7) * 90);
  EXPECT_EQ(fed.pictures[0].bytes, 3u);
  EXPECT_FALSE(fed.pictures[1].keyframe);
  EXPECT_EQ(fed.pictures[1].pts, (kHighTime + 40) * 90);
}

TEST_P(FlvParserTest, CountsAWrongSizeAfterATag) {
  auto bytes = stream();
  bytes.back() += 1;
  const Fed fed{bytes, GetParam()};
  EXPECT_EQ(fed.errors, 1u);
  EXPECT_EQ(fed.pictures.size(), 2u);
}

TEST_P(FlvParserTest, EndsAtAnUnknownTag) {
  auto bytes = kHeader;
  append(bytes, tag(77, 0, kKeyframe));
  append(bytes, tag(9, 0, kKeyframe));
  const Fed fed{bytes, GetParam()};
  EXPECT_EQ(fed.errors, 1u);
  EXPECT_TRUE(fed.pictures.empty());
}

INSTANTIATE_TEST_SUITE_P(InPiecesOf, FlvParserTest, testing::Values(1, 7, 1000));

}  // namespace
}  // namespace netlab
