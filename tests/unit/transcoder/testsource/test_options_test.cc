#include "transcoder/testsource/test_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transcoder {
namespace {

using testing::HasSubstr;

TEST(TestOptionsTest, AnEmptyQueryGivesTheDefaults) {
  const auto options = parse_test_options("");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->size, (PictureSize{1280, 720}));
  EXPECT_EQ(options->frame_rate, 30);
  EXPECT_EQ(options->content, TestOptions::Content::kMotion);
  EXPECT_TRUE(options->audio);
}

TEST(TestOptionsTest, TakesEveryOption) {
  const auto options = parse_test_options("?size=640x360&fps=59.94&content=noise&audio=off");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->size, (PictureSize{640, 360}));
  EXPECT_EQ(options->frame_rate, 59.94);
  EXPECT_EQ(options->content, TestOptions::Content::kNoise);
  EXPECT_FALSE(options->audio);
}

TEST(TestOptionsTest, TheErrorSaysWhichSizesAreValid) {
  for (const auto* query :
       {"?size=big", "?size=641x360", "?size=64x36", "?size=9999x9999", "?size"}) {
    const auto options = parse_test_options(query);
    ASSERT_FALSE(options) << query;
    EXPECT_THAT(options.error(), HasSubstr("size must be WIDTHxHEIGHT"));
  }
}

TEST(TestOptionsTest, RefusesWrongValues) {
  for (const auto* query :
       {"?fps=0", "?fps=fast", "?fps=nan", "?content=cat", "?audio=yes", "?="}) {
    EXPECT_FALSE(parse_test_options(query)) << query;
  }
}

TEST(TestOptionsTest, NamesTheUnknownOption) {
  const auto options = parse_test_options("?colour=red");
  ASSERT_FALSE(options);
  EXPECT_THAT(options.error(), HasSubstr("unknown option 'colour'"));
}

TEST(TestOptionsTest, OptionsMustBeginWithAQuestionMark) {
  EXPECT_FALSE(parse_test_options("size=1x1"));
}

}  // namespace
}  // namespace transcoder
