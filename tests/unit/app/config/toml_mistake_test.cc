#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config_file.h"

namespace app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using TomlMistakeTest = ConfigFile;

TEST_F(TomlMistakeTest, TextWithoutQuotes) {
  EXPECT_THAT(errors("[rate]\nmax = 5M\n"),
              ElementsAre("2:8: text needs quotes: write max = \"5M\""));
  EXPECT_THAT(errors("[rate]\nmax = 5 Mbit/s\n"),
              ElementsAre(HasSubstr("text needs quotes: write max = \"5 Mbit/s\"")));
  EXPECT_THAT(errors("[[stream]]\nname = live\nsource = \"test:\"\n"),
              ElementsAre("2:8: text needs quotes: write name = \"live\""));
  EXPECT_THAT(errors("server.listen = [::]:8080\n"),
              ElementsAre(HasSubstr("write server.listen = \"[::]:8080\"")));
  EXPECT_THAT(errors("[server]\nlisten = [:8080]\n"),
              ElementsAre(HasSubstr("texts in a list need quotes: write listen = [\"...\"]")));
  EXPECT_THAT(errors("[server]\nlisten = [\n  :8080,\n]\n"),
              ElementsAre(HasSubstr("texts in a list need quotes")));
}

TEST_F(TomlMistakeTest, DoesNotRepeatAUri) {
  EXPECT_THAT(errors("[[stream]]\nname = \"a\"\nsource = rtsp://user:secret@cam/1\n"),
              ElementsAre("3:10: text needs quotes: write source = \"...\""));
}

TEST_F(TomlMistakeTest, TypographicQuotes) {
  EXPECT_THAT(errors("[[stream]]\nname = “live”\n"),
              ElementsAre(HasSubstr("typographic quotes: write plain ones, \"")));
}

TEST_F(TomlMistakeTest, WordsForTrueAndFalse) {
  for (const char* word : {"True", "FALSE", "yes", "no", "on", "Off"}) {
    EXPECT_THAT(errors("[segments]\nenabled = " + std::string{word} + "\n"),
                ElementsAre(HasSubstr("write enabled = true or enabled = false")))
        << word;
  }
}

TEST_F(TomlMistakeTest, QuotesThatDoNotEnd) {
  EXPECT_THAT(errors("[log]\nlevel = \"info\n"),
              ElementsAre(HasSubstr("the closing quote is missing")));
  EXPECT_THAT(errors("[log]\nlevel = 'info\n"),
              ElementsAre(HasSubstr("the closing quote is missing")));
}

TEST_F(TomlMistakeTest, Backslashes) {
  EXPECT_THAT(errors("[[stream]]\nname = \"a\"\nsource = \"file:C:\\Users\\x.mp4\"\n"),
              ElementsAre(HasSubstr("write \\\\, or use single quotes")));
}

TEST_F(TomlMistakeTest, MissingValueOrEqualsSign) {
  EXPECT_THAT(errors("[rate]\nmax =\n"), ElementsAre(HasSubstr("max has no value")));
  EXPECT_THAT(errors("[rate]\nmax \"5M\"\n"),
              ElementsAre(HasSubstr("a = is missing: write max = ")));
}

TEST_F(TomlMistakeTest, SecondDefinitionNamesTheFirst) {
  EXPECT_THAT(errors("[rate]\nmax = \"5M\"\n[log]\n[rate]\nmin = \"1M\"\n"),
              ElementsAre("4:1: [rate] is already in line 1: put all its keys there"));
  EXPECT_THAT(errors("[rate]\nmax = \"5M\"\nmax = \"6M\"\n"),
              ElementsAre(HasSubstr("max is already in line 2: keep one of them")));
}

TEST_F(TomlMistakeTest, OtherFormats) {
  EXPECT_THAT(errors("rate:\n  max: 5M\n"), ElementsAre(HasSubstr("this looks like YAML")));
  EXPECT_THAT(errors("streams:\n  - name: a\n"), ElementsAre(HasSubstr("this looks like YAML")));
  EXPECT_THAT(errors("{\"rate\": {\"max\": 1}}\n"), ElementsAre(HasSubstr("this looks like JSON")));
  EXPECT_THAT(errors("; a comment\n"), ElementsAre(HasSubstr("comments begin with #")));
  EXPECT_THAT(errors("// a comment\n"), ElementsAre(HasSubstr("comments begin with #")));
}

TEST_F(TomlMistakeTest, UnclosedSection) {
  EXPECT_THAT(errors("[[stream]\nname = \"a\"\n"),
              ElementsAre(HasSubstr("a section is written [name], a stream [[stream]]")));
}

TEST_F(TomlMistakeTest, OtherMistakesKeepTheParsersWords) {
  EXPECT_THAT(errors("[server]\nthreads = 05\n"),
              ElementsAre(HasSubstr("leading zeroes are prohibited")));
}

TEST_F(TomlMistakeTest, ValidTextInStrangeFormIsAccepted) {
  EXPECT_THAT(errors("\xef\xbb\xbf[rate]\r\n\tmax = \"5M\"\r\n"), IsEmpty());
  EXPECT_THAT(errors(""), IsEmpty());
}

}  // namespace
}  // namespace app
