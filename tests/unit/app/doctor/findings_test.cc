#include "app/doctor/findings.h"

#include <gtest/gtest.h>

#include <sstream>

namespace app {
namespace {

const std::vector<Examination> kExaminations{
    {"TCP", {{Verdict::kOk, "kernel", "6.1"}}},
    {"Sources", {{Verdict::kLimited, "srt:", "srtsrc missing", "apt-get install x"}}}};

std::string printed(const std::vector<Examination>& examinations, bool colour) {
  std::ostringstream out;
  print(examinations, out, colour);
  return out.str();
}

TEST(FindingsTest, PrintsALinePerFindingAndItsRemedyBelow) {
  EXPECT_EQ(printed(kExaminations, false),
            "TCP\n"
            "  ok      kernel                 6.1\n"
            "\n"
            "Sources\n"
            "  limited srt:                   srtsrc missing\n"
            "                                 apt-get install x\n"
            "\n"
            "Everything necessary is there; 1 limitation.\n");
}

TEST(FindingsTest, BreaksALongDetailAfterACommaOrSemicolon) {
  const std::string list = "added while symcast runs: sym_vreno, sym_vcubic, sym_libra, sym_ccp";
  EXPECT_EQ(printed({{"TCP", {{Verdict::kOk, "sym_*", list + "ss, sym_ccpd"}}}}, false),
            "TCP\n"
            "  ok      sym_*                  added while symcast runs: sym_vreno, sym_vcubic, "
            "sym_libra,\n"
            "                                 sym_ccpss, sym_ccpd\n"
            "\n"
            "Everything necessary is there; no limitations.\n");
  const std::string command(90, 'x');
  EXPECT_NE(
      printed({{"TCP", {{Verdict::kOk, "one", command + " y"}}}}, false).find(command + " y\n"),
      std::string::npos);
}

TEST(FindingsTest, ColoursOnlyWhenAsked) {
  EXPECT_EQ(printed(kExaminations, false).find('\x1b'), std::string::npos);
  EXPECT_NE(printed(kExaminations, true).find("\x1b[33mlimited"), std::string::npos);
}

TEST(FindingsTest, ALimitationIsNotMissing) { EXPECT_TRUE(nothing_missing(kExaminations)); }

TEST(FindingsTest, MissingIsCounted) {
  const std::vector<Examination> examinations{{"Encoders", {{Verdict::kMissing, "x264", "none"}}}};
  EXPECT_FALSE(nothing_missing(examinations));
  EXPECT_NE(printed(examinations, false).find("1 necessary item is missing; no limitations."),
            std::string::npos);
}

}  // namespace
}  // namespace app
