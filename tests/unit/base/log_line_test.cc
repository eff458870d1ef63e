#include "base/log_line.h"

#include <gtest/gtest.h>

namespace base::log {
namespace {

std::string written(std::string_view value) {
  return line("event", {{"value", value}}).substr(std::string_view{"event value="}.size());
}

TEST(LogLineTest, HasAnEventAndItsFields) {
  EXPECT_EQ(line("started", {{"port", 8080}, {"name", "two words"}}),
            "started port=8080 name=\"two words\"");
}

TEST(LogLineTest, QuotesWhereItHasTo) {
  EXPECT_EQ(written("caf\u00e9\\x"), "caf\u00e9\\x");
  EXPECT_EQ(written(""), R"("")");
  EXPECT_EQ(written("a=b"), R"("a=b")");
  EXPECT_EQ(written("a \"b\" \\"), R"("a \"b\" \\")");
  EXPECT_EQ(written("a\nb"), R"("a\nb")");
}

/// A source's error text may have them.
TEST(LogLineTest, WritesNothingThatATerminalObeys) {
  EXPECT_EQ(written("\x1b]0;owned\x07"), R"("\x1b]0;owned\x07")");
  EXPECT_EQ(written("a\rb\tc\x7f"), R"("a\x0db\x09c\x7f")");
  EXPECT_EQ(written("\u009b31m"), R"("\xc2\x9b31m")");
}

TEST(LogLineTest, IsUtf8) {
  EXPECT_EQ(written("\u2192\U0001f600"), "\u2192\U0001f600");
  EXPECT_EQ(written("\xff"), R"("\xff")");
  EXPECT_EQ(written("\xc3("), R"("\xc3(")");
  EXPECT_EQ(written("\xe2\x82"), R"("\xe2\x82")") << "the end is missing";
  EXPECT_EQ(written("\xc0\xaf"), R"("\xc0\xaf")") << "a long form of '/'";
  EXPECT_EQ(written("\xed\xa0\x80"), R"("\xed\xa0\x80")") << "a surrogate";
  EXPECT_EQ(written("\xf4\x90\x80\x80"), R"("\xf4\x90\x80\x80")") << "beyond Unicode";
}

}  // namespace
}  // namespace base::log
