#include "app/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdint.h>
#include <x264.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "app/config/config_keys.h"
#include "app/config/config_text.h"
#include "test_files.h"

namespace app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using namespace std::chrono_literals;

const std::vector<std::string> kOffered{"reno", "cubic", "bbr"};

class ConfigTest : public ::testing::Test {
 protected:
  Config load(const std::string& text, const Overrides& overrides = {}) {
    file_.write(text);
    return load_config(file_.path(), overrides, kOffered);
  }

  /// The lines of the error, each without the file's name.
  std::vector<std::string> errors(const std::string& text, const Overrides& overrides = {}) {
    try {
      load(text, overrides);
    } catch (const ConfigError& error) {
      std::istringstream lines{error.what()};
      std::vector<std::string> out;
      for (std::string line; std::getline(lines, line);) {
        const bool of_file = line.starts_with(file_.path() + ":");
        out.push_back(of_file ? line.substr(file_.path().size() + 1) : line);
      }
      return out;
    }
    return {};
  }

  TemporaryFile file_;
};

TEST_F(ConfigTest, NothingMeansTheTestPictureOnPort8080) {
  const auto config = load_config("");
  EXPECT_EQ(config.server.listen.at(0).text(), "[::]:8080");
  ASSERT_EQ(config.streams.size(), 1U);
  EXPECT_EQ(config.streams[0].media.name, "live");
  EXPECT_EQ(config.streams[0].media.source.uri, "test:");
}

TEST_F(ConfigTest, EmptyFileIsTheDefault) {
  EXPECT_EQ(effective_config(load("")), effective_config(default_config()));
}

TEST_F(ConfigTest, MissingFileIsNamed) {
  EXPECT_THROW(
      try { load_config("/nowhere/a.toml"); } catch (const ConfigError& error) {
        EXPECT_STREQ(error.what(), "/nowhere/a.toml: No such file or directory");
        throw;
      },
      ConfigError);
}

TEST_F(ConfigTest, DirectoryIsNotAConfiguration) {
  EXPECT_THROW(load_config("/tmp", {}, kOffered), ConfigError);
}

TEST_F(ConfigTest, SyntaxErrorHasItsPlace) {
  EXPECT_THAT(errors("[rate]\nmax = = 3\n"), ElementsAre(StartsWith("2:7: ")));
}

TEST_F(ConfigTest, ReadsUnits) {
  const auto config = load(R"(
    [server]
    header_timeout = "300ms"
    stall_timeout = "2m"
    max_header = "16KiB"
    [rate]
    min = 250000
    start = "500k"
    max = "1.5M")");
  EXPECT_EQ(config.server.header_timeout, 300ms);
  EXPECT_EQ(config.server.stall_timeout, 2min);
  EXPECT_EQ(config.server.max_header, base::ByteCount{16384});
  const auto& rate = config.streams.at(0).control.rate;
  EXPECT_EQ(rate.min, base::BitRate::kbps(250));
  EXPECT_EQ(rate.start, base::BitRate::kbps(500));
  EXPECT_EQ(rate.max, base::BitRate::kbps(1500));
}

TEST_F(ConfigTest, StreamInheritsAndOverrides) {
  const auto config = load(R"(
    [video]
    max_height = 1080
    [encoder]
    preset = "fast"
    [[stream]]
    name = "a"
    source = "test:"
    [[stream]]
    name = "b"
    source = { uri = "srt://:9000", latency = "1s" }
    encoder.preset = "ultrafast"
    [stream.rate]
    max = "9M")");
  ASSERT_EQ(config.streams.size(), 2U);
  const auto& [a, b] = std::tie(config.streams[0], config.streams[1]);
  EXPECT_EQ(a.media.encoder.preset, "fast");
  EXPECT_EQ(b.media.encoder.preset, "ultrafast");
  EXPECT_EQ(b.media.video.max_height, 1080);
  EXPECT_EQ(b.media.source.uri, "srt://:9000");
  EXPECT_EQ(b.media.source.latency, 1s);
  EXPECT_EQ(a.media.source.latency, 200ms);
  EXPECT_EQ(b.control.rate.max, base::BitRate::mbps(9));
  EXPECT_EQ(a.control.rate.max, base::BitRate::mbps(5));
}

TEST_F(ConfigTest, NetworkRulesKeepTheirOrder) {
  const auto config = load(R"(
    [[tcp.network]]
    network = "10.0.0.0/8"
    congestion_control = "reno"
    [[tcp.network]]
    network = "2001:db8::/32"
    congestion_control = "bbr")");
  const auto& rules = config.streams.at(0).tcp.networks;
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0].network.text(), "10.0.0.0/8");
  EXPECT_EQ(rules[1].congestion_control, "bbr");
}

TEST_F(ConfigTest, MisspeltKeyNamesTheNearest) {
  EXPECT_THAT(errors("[encoder]\npreset = \"fast\"\nkeyframe_intervall = \"2s\"\n"),
              ElementsAre("3:1: unknown key encoder.keyframe_intervall; did you mean "
                          "encoder.keyframe_interval?"));
}

TEST_F(ConfigTest, MisspeltSectionNamesTheNearest) {
  EXPECT_THAT(errors("[severs]\nthreads = 1\n"),
              ElementsAre("1:2: unknown key severs; did you mean server?"));
}

TEST_F(ConfigTest, KeyInTheWrongSectionNamesTheRightOne) {
  EXPECT_THAT(errors("listen = \":1\"\n"),
              ElementsAre("1:1: unknown key listen; did you mean server.listen?"));
}

TEST_F(ConfigTest, MisspeltKeyOfAStreamNamesTheNearest) {
  EXPECT_THAT(errors("[[stream]]\nname = \"a\"\nsource = \"test:\"\nrate.maxx = 1\n"),
              ElementsAre("4:6: unknown key rate.maxx; did you mean rate.max?"));
}

TEST_F(ConfigTest, UnknownKeyWithoutNeighbourListsWhatIsKnown) {
  EXPECT_THAT(errors("[groups]\nxylophone = 1\n"),
              ElementsAre("2:1: unknown key groups.xylophone; known here: groups.max, "
                          "groups.linger"));
}

TEST_F(ConfigTest, WrongTypeSaysWhatIsExpected) {
  EXPECT_THAT(errors("[server]\nthreads = \"two\"\n"),
              ElementsAre("2:11: server.threads: \"two\" is not a whole number"));
}

TEST_F(ConfigTest, DurationNeedsItsUnit) {
  EXPECT_THAT(errors("[server]\nqueue = 3\n"),
              ElementsAre("2:9: server.queue: 3 is not a duration with its unit, such as "
                          "\"300ms\", \"5s\" or \"2m\""));
}

TEST_F(ConfigTest, OutOfRangeSaysTheRange) {
  EXPECT_THAT(errors("[rate]\nmax = \"5G\"\n"),
              ElementsAre("2:7: rate.max: \"5G\" is out of range, \"30k\" to \"200M\""));
}

TEST_F(ConfigTest, AstronomicalValuesAreOutOfRange) {
  EXPECT_THAT(errors("[rate]\nmax = \"99999999999999999999M\"\n"),
              ElementsAre(HasSubstr("out of range")));
  EXPECT_THAT(errors("[server]\nthreads = 4294967297\n"), ElementsAre(HasSubstr("out of range")));
}

TEST_F(ConfigTest, NotANumberIsOutOfRange) {
  EXPECT_THAT(errors("[encoder]\ncrf = nan\n"), ElementsAre(HasSubstr("out of range")));
}

TEST_F(ConfigTest, WordsAreSuggestedToo) {
  EXPECT_THAT(errors("[encoder]\npreset = \"veryfats\"\n"),
              ElementsAre(HasSubstr("did you mean \"veryfast\"?")));
}

TEST_F(ConfigTest, PresetsAreThoseOfX264) {
  for (const auto* const* name = x264_preset_names; *name != nullptr; ++name) {
    EXPECT_THAT(errors(std::string{"encoder.preset = \""} + *name + "\""), IsEmpty());
  }
}

TEST_F(ConfigTest, SectionWrittenAsKeyIsExplained) {
  EXPECT_THAT(errors("rate = \"5M\"\n"),
              ElementsAre("1:8: rate is a section, not a key: write [rate]"));
}

TEST_F(ConfigTest, SingleStreamTableIsExplained) {
  EXPECT_THAT(errors("[stream]\nname = \"a\"\n"),
              ElementsAre("1:1: streams are a list: write [[stream]]"));
}

TEST_F(ConfigTest, BadAddressHasThePlaceOfItsItem) {
  EXPECT_THAT(errors("[server]\nlisten = [\n  \"[::]:80\",\n  \"nonsense\",\n]\n"),
              ElementsAre(StartsWith("4:3: server.listen: ")));
}

TEST_F(ConfigTest, NoListenAddressIsAnError) {
  EXPECT_THAT(errors("[server]\nlisten = []\n"),
              ElementsAre(StartsWith("2:10: server.listen: name at least one")));
}

TEST_F(ConfigTest, SeveralErrorsComeInOnePass) {
  EXPECT_THAT(errors("[rate]\nmx = 1\nmin = true\n[groups]\nmax = -1\n"),
              ElementsAre(StartsWith("2:1: unknown key rate.mx"), StartsWith("3:7: rate.min"),
                          StartsWith("5:7: groups.max")));
}

TEST_F(ConfigTest, MinAboveMaxIsAnError) {
  EXPECT_THAT(errors("[rate]\nmin = \"3M\"\nmax = \"2M\"\n"),
              ElementsAre("2:7: rate.min 3M is more than rate.max 2M"));
}

TEST_F(ConfigTest, StartOutsideTheLimitsIsAnError) {
  EXPECT_THAT(errors("[rate]\nstart = \"3M\"\nmax = \"2M\"\n"),
              ElementsAre("2:9: rate.start 3M is outside rate.min 300k to rate.max 2M"));
}

TEST_F(ConfigTest, UnsetStartStaysWithinTheLimits) {
  EXPECT_EQ(load("[rate]\nmax = \"1M\"\n").streams.at(0).control.rate.start,
            base::BitRate::mbps(1));
}

TEST_F(ConfigTest, CrossCheckOfAStreamHasThePlaceInTheStream) {
  EXPECT_THAT(errors("[rate]\nmin = \"1M\"\n[[stream]]\nname = \"a\"\nsource = \"test:\"\n"
                     "rate.max = \"500k\"\n"),
              ElementsAre("6:12: rate.min 1M is more than rate.max 500k"));
}

TEST_F(ConfigTest, InheritedMistakeIsReportedOnce) {
  EXPECT_THAT(errors("[rate]\nmin = \"9M\"\n[[stream]]\nname = \"a\"\nsource = \"test:\"\n"
                     "[[stream]]\nname = \"b\"\nsource = \"test:\"\n"),
              ElementsAre("2:7: rate.min 9M is more than rate.max 5M"));
}

TEST_F(ConfigTest, DuplicateNameIsAnError) {
  EXPECT_THAT(errors("[[stream]]\nname = \"a\"\nsource = \"test:\"\n"
                     "[[stream]]\nname = \"a\"\nsource = \"test:\"\n"),
              ElementsAre("5:8: name: \"a\" is another stream's name already"));
}

TEST_F(ConfigTest, NameIsOneWord) {
  EXPECT_THAT(errors("[[stream]]\nname = \"a/b\"\nsource = \"test:\"\n"),
              ElementsAre(StartsWith("2:8: name: \"a/b\" is not a stream name")));
}

TEST_F(ConfigTest, StreamNeedsNameAndSource) {
  EXPECT_THAT(errors("[[stream]]\n"),
              ElementsAre("1:1: a stream needs a name", "1:1: a stream needs a source.uri"));
}

TEST_F(ConfigTest, PathAsSourceIsExplained) {
  EXPECT_THAT(errors("[[stream]]\nname = \"a\"\nsource = \"/srv/a.mkv\"\n"),
              ElementsAre(HasSubstr("did you mean \"file:/srv/a.mkv\"?")));
}

TEST_F(ConfigTest, SchemeAloneIsNoSource) {
  EXPECT_THAT(errors("[[stream]]\nname = \"a\"\nsource = \"file:\"\n"),
              ElementsAre("3:10: source: nothing follows the scheme in \"file:\""));
  EXPECT_THAT(errors("", {.sources = {"a=http:"}}), ElementsAre(StartsWith("--source: source: ")));
}

TEST_F(ConfigTest, OptionsOfTheTestSourceAreChecked) {
  EXPECT_THAT(errors("[[stream]]\nname = \"a\"\nsource = \"test:?sise=320x180\"\n"),
              ElementsAre(StartsWith("3:10: source: ")));
}

TEST_F(ConfigTest, CongestionControlMustBeOffered) {
  EXPECT_THAT(errors("[tcp]\ncongestion_control = \"cubik\"\n"),
              ElementsAre("2:22: tcp.congestion_control: this kernel does not offer \"cubik\"; "
                          "available: reno, cubic, bbr; did you mean cubic?"));
}

TEST_F(ConfigTest, CongestionControlOfARuleMustBeOffered) {
  EXPECT_THAT(errors("[[tcp.network]]\nnetwork = \"10.0.0.0/8\"\ncongestion_control = \"reno\"\n\n"
                     "[[tcp.network]]\nnetwork = \"11.0.0.0/8\"\ncongestion_control = \"vegas\"\n"),
              ElementsAre(StartsWith("5:1: tcp.network: this kernel does not offer \"vegas\"")));
}

TEST_F(ConfigTest, MisspeltKeyOfARuleNamesTheNearest) {
  EXPECT_THAT(errors("[[tcp.network]]\nnetwork = \"10.0.0.0/8\"\ncongestion_controll = \"reno\"\n"),
              ElementsAre("3:1: tcp.network: unknown key congestion_controll; did you mean "
                          "congestion_control?"));
}

TEST_F(ConfigTest, RuleNeedsBothItsKeys) {
  EXPECT_THAT(errors("[[tcp.network]]\nnetwork = \"10.0.0.0/8\"\n"),
              ElementsAre("1:1: tcp.network: a rule needs both network and congestion_control"));
}

TEST_F(ConfigTest, PacingBelowTheRateIsAnError) {
  EXPECT_THAT(errors("[tcp]\npacing = 0.5\n"), ElementsAre(StartsWith("2:10: tcp.pacing 0.5")));
}

TEST_F(ConfigTest, FlagsOverrideTheFile) {
  const auto config = load(R"(
    log.level = "error"
    [server]
    listen = ":1"
    [[stream]]
    name = "a"
    source = "test:"
    control.policy = "itcp"
    tcp.congestion_control = "reno"
    tcp.network = [{ network = "10.0.0.0/8", congestion_control = "reno" }])",
                           {.listen = {":2", ":3"},
                            .sources = {},
                            .policy = "off",
                            .congestion_control = "bbr",
                            .trace_directory = "/t",
                            .log_level = "debug"});
  EXPECT_EQ(config.server.listen.size(), 2U);
  EXPECT_EQ(config.log_level, base::log::Level::kDebug);
  EXPECT_EQ(config.trace_directory, "/t");
  EXPECT_EQ(config.streams.at(0).control.policy, abr::PolicyKind::kOff);
  EXPECT_EQ(config.streams.at(0).tcp.congestion_control, "bbr");
  EXPECT_TRUE(config.streams.at(0).tcp.networks.empty());
}

TEST_F(ConfigTest, SourceFlagAddsOrReplaces) {
  const auto config = load("[rate]\nmax = \"3M\"\n[[stream]]\nname = \"a\"\nsource = \"test:\"\n",
                           {.sources = {"a=file:/x=y", "b=srt://:1"}});
  ASSERT_EQ(config.streams.size(), 2U);
  EXPECT_EQ(config.streams[0].media.source.uri, "file:/x=y");
  EXPECT_EQ(config.streams[1].media.name, "b");
  EXPECT_EQ(config.streams[1].control.rate.max, base::BitRate::mbps(3));
}

TEST_F(ConfigTest, SourceFlagReplacesTheBuiltInStream) {
  const auto config = load_config("", {.sources = {"cam=test:"}}, kOffered);
  ASSERT_EQ(config.streams.size(), 1U);
  EXPECT_EQ(config.streams[0].media.name, "cam");
}

TEST_F(ConfigTest, FlagErrorNamesTheFlag) {
  EXPECT_THAT(errors("", {.sources = {"nonsense"}, .policy = "on"}),
              ElementsAre("--source: \"nonsense\" is not NAME=URI",
                          StartsWith("--policy: control.policy: \"on\" is not one of")));
}

TEST_F(ConfigTest, EffectiveConfigurationLoadsToTheSame) {
  const auto text = effective_config(load(R"(
    server.listen = ["127.0.0.1:1", "[::1]:2"]
    rate.max = 1234567
    [[stream]]
    name = "a"
    source = 'gst:videotestsrc pattern="ball" ! x'
    tcp.network = [{ network = "10.0.0.0/8", congestion_control = "reno" }])"));
  EXPECT_EQ(effective_config(load(text)), text);
  EXPECT_THAT(text, HasSubstr("1234.567k"));
}

/// config/symcast.toml with every commented key uncommented.
std::string uncommented_example() {
  std::ifstream file{SYMCAST_SOURCE_DIR "/config/symcast.toml"};
  std::string out;
  for (std::string line; std::getline(file, line) && !line.starts_with("# Streams.");) {
    static const std::regex key{"#([a-z_]+ = .*)"};
    out += std::regex_replace(line, key, "$1") + "\n";
  }
  return out;
}

TEST_F(ConfigTest, ExampleIsWhatTheTableSays) {
  std::ifstream file{SYMCAST_SOURCE_DIR "/config/symcast.toml"};
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), reference_config()) << "symcast check --reference > config/symcast.toml";
}

TEST_F(ConfigTest, ExampleUncommentedIsTheDefault) {
  EXPECT_EQ(effective_config(load(uncommented_example())), effective_config(default_config()));
}

TEST_F(ConfigTest, ExampleHasEveryKeyOfTheTableOnce) {
  std::multiset<std::string> keys;
  for (const auto& section : daemon_sections()) {
    for (const auto& key : section.keys) keys.insert(key.path);
  }
  for (const auto& section : stream_sections()) {
    for (const auto& key : section.keys) keys.insert(key.path);
  }
  std::multiset<std::string> in_example;
  std::istringstream lines{uncommented_example()};
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[")) section = line.substr(1, line.find(']') - 1);
    if (line.empty() || line.starts_with("#") || line.starts_with("[")) continue;
    in_example.insert(section + "." + line.substr(0, line.find(' ')));
  }
  EXPECT_EQ(in_example, keys);
}

TEST_F(ConfigTest, EveryStreamOfTheExampleLoads) {
  std::ifstream file{SYMCAST_SOURCE_DIR "/config/symcast.toml"};
  std::string text;
  bool streams = false;
  for (std::string line; std::getline(file, line);) {
    streams = streams || line.starts_with("# Streams.");
    if (streams && line.starts_with("#") && !line.starts_with("# ") && line != "#") {
      text += line.substr(1) + "\n";
    }
  }
  const auto config = load(text);
  EXPECT_EQ(config.streams.size(), 2U);
}

}  // namespace
}  // namespace app
