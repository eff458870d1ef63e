#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdint.h>
#include <x264.h>

#include "config_file.h"

namespace app {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using ConfigErrorsTest = ConfigFile;

TEST_F(ConfigErrorsTest, SyntaxErrorNamesItsPlace) {
  EXPECT_THAT(errors("[rate]\nmax = = 3\n"), ElementsAre(StartsWith("2:7: ")));
}

// A terminal would obey it.
TEST_F(ConfigErrorsTest, ControlCharactersAreShownAsNumbers) {
  EXPECT_THAT(errors("[metrics]\nmax_viewers = 100\x1b[31m\n"),
              ElementsAre(HasSubstr("100\\x1b[31m")));
  EXPECT_THAT(errors("\"\\u0007\" = 1\n"), ElementsAre(HasSubstr("unknown key \\x07")));
}

TEST_F(ConfigErrorsTest, MisspeltKeyNamesTheNearest) {
  EXPECT_THAT(errors("[encoder]\npreset = \"fast\"\nkeyframe_intervall = \"2s\"\n"),
              ElementsAre("3:1: unknown key encoder.keyframe_intervall; did you mean "
                          "encoder.keyframe_interval?"));
}

TEST_F(ConfigErrorsTest, APlaceOfASourceSaysHowToCorrectIt) {
  EXPECT_THAT(
      errors("[source]\nallow = [\"10.0.0.1/8\"]\n"),
      ElementsAre(AllOf(StartsWith("2:10: source.allow: "), HasSubstr("write 10.0.0.0/8"))));
  EXPECT_THAT(
      errors("[source]\nallow = \"*.example\"\n"),
      ElementsAre("2:9: source.allow: \"*.example\": wildcards are not supported; name each host"));
  EXPECT_THAT(errors("[source]\nallow = [5]\n"), ElementsAre(HasSubstr("\"HOST\" or \"/FOLDER\"")));
}

TEST_F(ConfigErrorsTest, MisspeltSectionNamesTheNearest) {
  EXPECT_THAT(errors("[severs]\nthreads = 1\n"),
              ElementsAre("1:2: unknown key severs; did you mean server?"));
}

TEST_F(ConfigErrorsTest, KeyInTheWrongSectionNamesTheRightOne) {
  EXPECT_THAT(errors("listen = \":1\"\n"),
              ElementsAre("1:1: unknown key listen; did you mean server.listen?"));
}

TEST_F(ConfigErrorsTest, MisspeltKeyOfAStreamNamesTheNearest) {
  EXPECT_THAT(errors("[[stream]]\nname = \"a\"\nsource = \"test:\"\nrate.maxx = 1\n"),
              ElementsAre("4:6: unknown key rate.maxx; did you mean rate.max?"));
}

TEST_F(ConfigErrorsTest, UnknownKeyWithoutASimilarOneListsTheKnownKeys) {
  EXPECT_THAT(errors("[groups]\nxylophone = 1\n"),
              ElementsAre("2:1: unknown key groups.xylophone; known keys: groups.max, groups.cpu, "
                          "groups.linger"));
}

TEST_F(ConfigErrorsTest, StreamIsAKnownKey) {
  for (const char* section : {"[[streams]]", "[streams.live]", "[[steam]]"}) {
    EXPECT_THAT(errors(std::string{section} + "\nname = \"a\"\n"),
                ElementsAre(HasSubstr("did you mean stream?")))
        << section;
  }
  EXPECT_THAT(errors("[[cameras]]\nname = \"a\"\n"), ElementsAre(HasSubstr(", tcp, stream")));
}

TEST_F(ConfigErrorsTest, TwoSourcesOfOneNameAreAnError) {
  Overrides overrides;
  overrides.sources = {"a=test:", "b=test:", "a=test:?fps=25"};
  EXPECT_THAT(errors("", overrides), ElementsAre("--source: two sources are called \"a\"; choose a "
                                                 "different name"));
  overrides.sources = {"a=test:?fps=25"};  // replaces the file's
  EXPECT_THAT(errors("[[stream]]\nname = \"a\"\nsource = \"test:\"\n", overrides), IsEmpty());
}

TEST_F(ConfigErrorsTest, CameraNamesTheElementThatReadsIt) {
  for (const char* uri : {"/dev/video0", "file:/dev/video0", "file:///dev/video0"}) {
    EXPECT_THAT(errors("[[stream]]\nname = \"a\"\nsource = \"" + std::string{uri} + "\"\n"),
                ElementsAre(HasSubstr("write \"gst:v4l2src device=/dev/video0\"")))
        << uri;
  }
}

TEST_F(ConfigErrorsTest, WrongTypeNamesTheExpectedOne) {
  EXPECT_THAT(errors("[server]\nthreads = \"two\"\n"),
              ElementsAre("2:11: server.threads: \"two\" is not a whole number"));
}

TEST_F(ConfigErrorsTest, DurationNeedsItsUnit) {
  EXPECT_THAT(errors("[server]\nqueue = 3\n"),
              ElementsAre("2:9: server.queue: 3 is not a duration; write it with a unit, such "
                          "as \"300ms\", \"5s\" or \"2m\""));
}

TEST_F(ConfigErrorsTest, OutOfRangeNamesTheRange) {
  EXPECT_THAT(errors("[rate]\nmax = \"5G\"\n"),
              ElementsAre("2:7: rate.max: \"5G\" is out of range; allowed: \"30k\" to \"200M\""));
}

TEST_F(ConfigErrorsTest, AstronomicalValuesAreOutOfRange) {
  EXPECT_THAT(errors("[rate]\nmax = \"99999999999999999999M\"\n"),
              ElementsAre(HasSubstr("out of range")));
  EXPECT_THAT(errors("[server]\nthreads = 4294967297\n"), ElementsAre(HasSubstr("out of range")));
}

TEST_F(ConfigErrorsTest, NotANumberIsOutOfRange) {
  EXPECT_THAT(errors("[encoder]\ncrf = nan\n"), ElementsAre(HasSubstr("out of range")));
}

// x264 would encode losslessly.
TEST_F(ConfigErrorsTest, CrfBelowOneIsOutOfRange) {
  EXPECT_THAT(errors("[encoder]\ncrf = 0.9\n"), ElementsAre(HasSubstr("out of range")));
  EXPECT_THAT(errors("[encoder]\ncrf = 1.0\n"), IsEmpty());
}

TEST_F(ConfigErrorsTest, MisspeltWordNamesTheNearest) {
  EXPECT_THAT(errors("[encoder]\npreset = \"veryfats\"\n"),
              ElementsAre(HasSubstr("did you mean \"veryfast\"?")));
}

TEST_F(ConfigErrorsTest, PresetsAreThoseOfX264AndAuto) {
  EXPECT_THAT(errors("encoder.preset = \"auto\""), IsEmpty());
  for (const auto* const* name = x264_preset_names; *name != nullptr; ++name) {
    EXPECT_THAT(errors(std::string{"encoder.preset = \""} + *name + "\""), IsEmpty());
  }
}

TEST_F(ConfigErrorsTest, SectionWrittenAsKeyIsExplained) {
  EXPECT_THAT(errors("rate = \"5M\"\n"),
              ElementsAre("1:8: rate is a section, not a key; write [rate]"));
}

TEST_F(ConfigErrorsTest, SingleStreamTableIsExplained) {
  EXPECT_THAT(errors("[stream]\nname = \"a\"\n"),
              ElementsAre("1:1: streams form a list; write [[stream]]"));
}

TEST_F(ConfigErrorsTest, BadAddressIsReportedAtItsItem) {
  EXPECT_THAT(errors("[server]\nlisten = [\n  \"[::]:80\",\n  \"nonsense\",\n]\n"),
              ElementsAre(StartsWith("4:3: server.listen: ")));
}

TEST_F(ConfigErrorsTest, NoListenAddressIsAnError) {
  EXPECT_THAT(errors("[server]\nlisten = []\n"),
              ElementsAre(StartsWith("2:10: server.listen: the list is empty; name an address")));
}

TEST_F(ConfigErrorsTest, OnePassReportsSeveralErrors) {
  EXPECT_THAT(errors("[rate]\nmx = 1\nmin = true\n[groups]\nmax = -1\n"),
              ElementsAre(StartsWith("2:1: unknown key rate.mx"), StartsWith("3:7: rate.min"),
                          StartsWith("5:7: groups.max")));
}

TEST_F(ConfigErrorsTest, MinAboveMaxIsAnError) {
  EXPECT_THAT(
      errors("[rate]\nmin = \"3M\"\nmax = \"2M\"\n"),
      ElementsAre("2:7: rate.min 3M is above rate.max 2M; lower rate.min or raise rate.max"));
}

TEST_F(ConfigErrorsTest, StartOutsideTheLimitsIsAnError) {
  EXPECT_THAT(errors("[rate]\nstart = \"3M\"\nmax = \"2M\"\n"),
              ElementsAre("2:9: rate.start 3M must be between rate.min 100k and rate.max 2M"));
}

TEST_F(ConfigErrorsTest, ASegmentOfAFractionOfAMillisecondIsAnError) {
  EXPECT_THAT(errors("[encoder]\nkeyframe_interval = \"1668333us\"\n"),
              ElementsAre("2:21: encoder.keyframe_interval: \"1668.333ms\" is no whole number of "
                          "milliseconds; round it"));
}

TEST_F(ConfigErrorsTest, ConflictIsReportedAtTheKeyOfTheStream) {
  EXPECT_THAT(
      errors("[rate]\nmin = \"1M\"\n[[stream]]\nname = \"a\"\nsource = \"test:\"\n"
             "rate.max = \"500k\"\n"),
      ElementsAre("6:12: rate.min 1M is above rate.max 500k; lower rate.min or raise rate.max"));
}

TEST_F(ConfigErrorsTest, InheritedMistakeIsReportedOnce) {
  EXPECT_THAT(
      errors("[rate]\nmin = \"9M\"\n[[stream]]\nname = \"a\"\nsource = \"test:\"\n"
             "[[stream]]\nname = \"b\"\nsource = \"test:\"\n"),
      ElementsAre("2:7: rate.min 9M is above rate.max 5M; lower rate.min or raise rate.max"));
}

TEST_F(ConfigErrorsTest, DuplicateNameIsAnError) {
  EXPECT_THAT(errors("[[stream]]\nname = \"a\"\nsource = \"test:\"\n"
                     "[[stream]]\nname = \"a\"\nsource = \"test:\"\n"),
              ElementsAre("5:8: name: another stream is called \"a\" (" + file_.path() +
                          ":2:8); choose a different name"));
}

TEST_F(ConfigErrorsTest, NameWithASlashIsAnError) {
  EXPECT_THAT(errors("[[stream]]\nname = \"a/b\"\nsource = \"test:\"\n"),
              ElementsAre(StartsWith("2:8: name: \"a/b\" is not a stream name")));
}

TEST_F(ConfigErrorsTest, StreamNeedsNameAndSource) {
  EXPECT_THAT(errors("[[stream]]\n"),
              ElementsAre("1:1: this stream has no name; add name = \"NAME\"",
                          "1:1: this stream has no source; add source = \"URI\""));
}

TEST_F(ConfigErrorsTest, PathAsSourceIsExplained) {
  EXPECT_THAT(errors("[[stream]]\nname = \"a\"\nsource = \"/srv/a.mkv\"\n"),
              ElementsAre(HasSubstr("did you mean \"file:/srv/a.mkv\"?")));
}

TEST_F(ConfigErrorsTest, SchemeAloneIsAnError) {
  EXPECT_THAT(
      errors("[[stream]]\nname = \"a\"\nsource = \"file:\"\n"),
      ElementsAre("3:10: source: \"file:\" is incomplete; write a path or address after the "
                  "scheme"));
  EXPECT_THAT(errors("", {.sources = {"a=http:"}}), ElementsAre(StartsWith("--source: source: ")));
}

TEST_F(ConfigErrorsTest, OptionsOfTheTestSourceAreChecked) {
  EXPECT_THAT(errors("[[stream]]\nname = \"a\"\nsource = \"test:?sise=320x180\"\n"),
              ElementsAre(StartsWith("3:10: source: ")));
}

TEST_F(ConfigErrorsTest, CongestionControlMustBeAvailable) {
  EXPECT_THAT(
      errors("[tcp]\ncongestion_control = \"cubik\"\n"),
      ElementsAre("2:22: tcp.congestion_control: congestion control \"cubik\" is not available "
                  "on this host; "
                  "available: reno, cubic, bbr, auto; did you mean cubic?"));
}

TEST_F(ConfigErrorsTest, CongestionControlOfARuleMustBeAvailable) {
  EXPECT_THAT(errors("[[tcp.network]]\nnetwork = \"10.0.0.0/8\"\ncongestion_control = \"reno\"\n\n"
                     "[[tcp.network]]\nnetwork = \"11.0.0.0/8\"\ncongestion_control = \"vegas\"\n"),
              ElementsAre(StartsWith("5:1: tcp.network: congestion control \"vegas\" is not")));
}

TEST_F(ConfigErrorsTest, MisspeltKeyOfARuleNamesTheNearest) {
  EXPECT_THAT(errors("[[tcp.network]]\nnetwork = \"10.0.0.0/8\"\ncongestion_controll = \"reno\"\n"),
              ElementsAre("3:1: tcp.network: unknown key congestion_controll; did you mean "
                          "congestion_control?"));
}

TEST_F(ConfigErrorsTest, RuleNeedsANetworkAndASettingForIt) {
  const auto* needs = "1:1: tcp.network: a rule needs network, and congestion_control or initcwnd";
  EXPECT_THAT(errors("[[tcp.network]]\nnetwork = \"10.0.0.0/8\"\n"), ElementsAre(needs));
  EXPECT_THAT(errors("[[tcp.network]]\ninitcwnd = 30\n"), ElementsAre(needs));
}

TEST_F(ConfigErrorsTest, InitcwndHasARange) {
  EXPECT_THAT(errors("[[tcp.network]]\nnetwork = \"10.0.0.0/8\"\ninitcwnd = 0\n"),
              ElementsAre("3:12: tcp.network: 0 is out of range; allowed: 1 to 1000"));
}

TEST_F(ConfigErrorsTest, RulesOfANetworkAgreeOnItsInitcwnd) {
  EXPECT_THAT(
      errors("[[stream]]\nname = \"a\"\nsource = \"test:\"\n"
             "tcp.network = [{ network = \"10.0.0.0/8\", initcwnd = 30 }]\n"
             "[[stream]]\nname = \"b\"\nsource = \"test:\"\n"
             "tcp.network = [{ network = \"10.0.0.0/8\", initcwnd = 20 }]\n"),
      ElementsAre("8:16: tcp.network: another rule sets initcwnd 30 for 10.0.0.0/8; use one "
                  "value for both"));
}

TEST_F(ConfigErrorsTest, PacingBelowTheRateIsAnError) {
  EXPECT_THAT(errors("[tcp]\npacing = 0.5\n"), ElementsAre(StartsWith("2:10: tcp.pacing 0.5")));
}

TEST_F(ConfigErrorsTest, FlagErrorNamesTheFlag) {
  EXPECT_THAT(errors("", {.sources = {"nonsense"}, .policy = "on"}),
              ElementsAre("--source: \"nonsense\" is not of the form NAME=URI",
                          StartsWith("--policy: control.policy: \"on\" is not one of")));
}

}  // namespace
}  // namespace app
