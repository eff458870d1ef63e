#include "app/config/config_units.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;

TEST(ConfigUnitsTest, DurationsNeedAUnit) {
  EXPECT_EQ(parse_duration("300ms"), base::Duration{300ms});
  EXPECT_EQ(parse_duration("1.5s"), base::Duration{1500ms});
  EXPECT_EQ(parse_duration("2m"), base::Duration{2min});
  EXPECT_FALSE(parse_duration("300"));
  EXPECT_FALSE(parse_duration("300 ms"));
  EXPECT_FALSE(parse_duration("ms"));
  EXPECT_FALSE(parse_duration(""));
}

TEST(ConfigUnitsTest, RatesAreDecimal) {
  EXPECT_EQ(parse_rate("300k"), base::BitRate{300'000});
  EXPECT_EQ(parse_rate("1.5M"), base::BitRate{1'500'000});
  EXPECT_EQ(parse_rate("64000"), base::BitRate{64'000});
  EXPECT_FALSE(parse_rate("300K"));
  EXPECT_FALSE(parse_rate("0x10k"));
}

TEST(ConfigUnitsTest, SizesAreBinary) {
  EXPECT_EQ(parse_size("16KiB"), base::ByteCount{16384});
  EXPECT_EQ(parse_size("1MiB"), base::ByteCount{1048576});
  EXPECT_FALSE(parse_size("16KB"));
}

TEST(ConfigUnitsTest, DimensionsAreTwoWholeNumbers) {
  EXPECT_EQ(parse_dimensions("1920x1080"), (transcoder::PictureSize{1920, 1080}));
  EXPECT_EQ(text_of(transcoder::PictureSize{1920, 1080}), "1920x1080");
  for (const auto* text : {"", "x", "1920", "1920x", "x1080", "1920X1080", "1920 x 1080", "1e3x10",
                           "-2x2", "+2x2", "2x2x2", "999999x2"}) {
    EXPECT_FALSE(parse_dimensions(text)) << text;
  }
}

TEST(ConfigUnitsTest, InfinityAndNanAreRejected) {
  EXPECT_FALSE(parse_rate("infk"));
  EXPECT_FALSE(parse_rate("nank"));
}

TEST(ConfigUnitsTest, NothingIsLessThanZero) {
  EXPECT_FALSE(parse_rate("-1k"));
  EXPECT_FALSE(parse_rate("-99999999999999999999")) << "nor is it the highest rate";
  EXPECT_FALSE(parse_duration("-9999999999h"));
  EXPECT_FALSE(parse_size("-0"));
}

TEST(ConfigUnitsTest, TooLargeValuesBecomeTheMaximum) {
  EXPECT_EQ(parse_duration("99999999999999h"), base::Duration::max());
}

TEST(ConfigUnitsTest, WritesTheLargestUnitThatFits) {
  EXPECT_EQ(text_of(base::Duration{300ms}), "300ms");
  EXPECT_EQ(text_of(base::Duration{90s}), "1.5m");
  EXPECT_EQ(text_of(base::Duration{10min}), "10m");
  EXPECT_EQ(text_of(base::Duration{0}), "0s");
  EXPECT_EQ(text_of(base::BitRate::mbps(1.5)), "1.5M");
  EXPECT_EQ(text_of(base::BitRate{1'234'567}), "1234.567k");
  EXPECT_EQ(text_of(base::ByteCount{8192}), "8KiB");
  EXPECT_EQ(text_of(base::ByteCount{1500}), "1500");
}

TEST(ConfigUnitsTest, WrittenValuesReadTheSame) {
  for (const std::int64_t n : {1L, 999L, 1000L, 1001L, 65536L, 1'001'000'001L, 1'234'567L,
                               3'999'999'999L, 3'600'000'000'001L, 123'456'789'123L}) {
    EXPECT_EQ(parse_rate(text_of(base::BitRate{n})), base::BitRate{n});
    EXPECT_EQ(parse_size(text_of(base::ByteCount{n})), base::ByteCount{n});
    EXPECT_EQ(parse_duration(text_of(base::Duration{n})), base::Duration{n});
  }
}

TEST(ConfigUnitsTest, QuotesLikeToml) {
  EXPECT_EQ(in_quotes("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
}

}  // namespace
}  // namespace app
