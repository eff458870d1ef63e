#include "transcoder/wire/printable.h"

#include <gtest/gtest.h>

namespace transcoder::wire {
namespace {

TEST(PrintableTest, LeavesPrintableTextAsItIs) {
  for (const std::string text : {"", "file:/srv/a b.ts", "vidéo", "写真", "\xf0\x9f\x8e\xa5"}) {
    EXPECT_EQ(printable(text, 100), text);
  }
}

TEST(PrintableTest, ReplacesControlCharacters) {
  EXPECT_EQ(printable(std::string{"a\nb\tc\0d\x1b[0m\x7f", 12}, 100), "a?b?c?d?[0m?");
  EXPECT_EQ(printable("\xc2\x85 \xe2\x80\xa8 \xe2\x80\xae \xef\xbb\xbf", 100), "?? ??? ??? ???");
}

TEST(PrintableTest, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\x80 \xff \xc3 \xe5\x86", 100), "? ? ? ??");
  EXPECT_EQ(printable("\xc0\xaf \xe0\x80\xaf \xf0\x80\x80\xaf", 100), "?? ??? ????");  // too long
  EXPECT_EQ(printable("\xed\xa0\x80 \xf4\x90\x80\x80", 100), "??? ????");  // no characters
}

TEST(PrintableTest, CutsTheTextWithoutHalfACharacter) {
  EXPECT_EQ(printable("abcdef", 3), "abc");
  EXPECT_EQ(printable("ab\xc3\xa9", 3), "ab?");
}

}  // namespace
}  // namespace transcoder::wire
