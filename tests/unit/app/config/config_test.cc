#include "app/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "app/config/config_keys.h"
#include "app/config/config_text.h"
#include "config_file.h"

namespace app {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

using ConfigTest = ConfigFile;

TEST_F(ConfigTest, NoFileMeansTheTestPictureOnPort8080) {
  const auto config = load_config("");
  EXPECT_EQ(config.server.listen.at(0).text(), "[::]:8080");
  ASSERT_EQ(config.streams.size(), 1U);
  EXPECT_EQ(config.streams[0].media.name, "live");
  EXPECT_EQ(config.streams[0].media.source.uri, "test:");
}

TEST_F(ConfigTest, EmptyFileMeansTheDefaults) {
  EXPECT_EQ(effective_config(load("")), effective_config(default_config()));
}

TEST_F(ConfigTest, MissingFileIsNamedInTheError) {
  EXPECT_THROW(
      try { load_config("/nowhere/a.toml"); } catch (const ConfigError& error) {
        EXPECT_STREQ(error.what(), "/nowhere/a.toml: No such file or directory");
        throw;
      },
      ConfigError);
}

TEST_F(ConfigTest, DirectoryIsNotAConfigurationFile) {
  EXPECT_THROW(load_config("/tmp", {}, kOfferedControls), ConfigError);
}

TEST_F(ConfigTest, ReadsUnits) {
  const auto config = load(R"(
    [server]
    header_timeout = "300ms"
    stall_timeout = "2m"
    max_header = "16KiB"
    min_rate = "24k"
    [rate]
    min = 250000
    start = "500k"
    max = "1.5M")");
  EXPECT_EQ(config.server.header_timeout, 300ms);
  EXPECT_EQ(config.server.stall_timeout, 2min);
  EXPECT_EQ(config.server.max_header, base::ByteCount{16384});
  EXPECT_EQ(config.server.min_rate, base::BitRate::kbps(24));
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

TEST_F(ConfigTest, RouteRulesOfAllStreamsAreListedOnce) {
  const auto config = load(R"(
    [[tcp.network]]
    network = "10.0.0.0/8"
    initcwnd = 30
    [[tcp.network]]
    network = "11.0.0.0/8"
    congestion_control = "reno"
    [[stream]]
    name = "a"
    source = "test:"
    [[stream]]
    name = "b"
    source = "test:")");
  const auto rules = route_rules(config);
  ASSERT_EQ(rules.size(), 1U);
  EXPECT_EQ(rules[0].network.text(), "10.0.0.0/8");
  EXPECT_EQ(rules[0].initcwnd, 30);
}

TEST_F(ConfigTest, CongestionControlFlagKeepsRoutes) {
  const auto config = load(R"(
    tcp.network = [{ network = "10.0.0.0/8", congestion_control = "reno", initcwnd = 30 }])",
                           {.congestion_control = "bbr"});
  const auto& rules = config.streams.at(0).tcp.networks;
  ASSERT_EQ(rules.size(), 1U);
  EXPECT_EQ(rules[0].congestion_control, "");
  EXPECT_EQ(rules[0].initcwnd, 30);
}

TEST_F(ConfigTest, UnsetStartStaysWithinTheLimits) {
  EXPECT_EQ(load("[rate]\nmax = \"1M\"\n").streams.at(0).control.rate.start,
            base::BitRate::mbps(1));
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

TEST_F(ConfigTest, SourceFlagAddsAStreamOrReplacesItsSource) {
  const auto config = load("[rate]\nmax = \"3M\"\n[[stream]]\nname = \"a\"\nsource = \"test:\"\n",
                           {.sources = {"a=file:/x=y", "b=srt://:1"}});
  ASSERT_EQ(config.streams.size(), 2U);
  EXPECT_EQ(config.streams[0].media.source.uri, "file:/x=y");
  EXPECT_EQ(config.streams[1].media.name, "b");
  EXPECT_EQ(config.streams[1].control.rate.max, base::BitRate::mbps(3));
}

TEST_F(ConfigTest, SourceFlagReplacesTheBuiltInStream) {
  const auto config = load_config("", {.sources = {"cam=test:"}}, kOfferedControls);
  ASSERT_EQ(config.streams.size(), 1U);
  EXPECT_EQ(config.streams[0].media.name, "cam");
}

TEST_F(ConfigTest, ASourceMayBeAllowedMorePlaces) {
  const auto config = load(R"([[stream]]
name = "a"
source = { uri = "http://a.example/", allow = ["10.0.0.0/8", "CDN.lan", "/srv/media"] }
)");
  const auto& allow = config.streams.front().media.source.allow;
  ASSERT_EQ(allow.size(), 3u);
  EXPECT_EQ(allow[0].text(), "10.0.0.0/8");
  EXPECT_EQ(allow[1].text(), "cdn.lan");
  EXPECT_EQ(allow[2].text(), "/srv/media");
}

TEST_F(ConfigTest, EffectiveConfigurationLoadsToTheSame) {
  const auto text = effective_config(load(R"(
    server.listen = ["127.0.0.1:1", "[::1]:2"]
    rate.max = 1234567
    [[stream]]
    name = "a"
    source = 'gst:videotestsrc pattern="ball" ! x'
    tcp.network = [{ network = "10.0.0.0/8", congestion_control = "reno" },
                   { network = "11.0.0.0/8", initcwnd = 30 }])"));
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

TEST_F(ConfigTest, ExampleIsGeneratedFromTheTable) {
  std::ifstream file{SYMCAST_SOURCE_DIR "/config/symcast.toml"};
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), reference_config()) << "symcast check --reference > config/symcast.toml";
}

TEST_F(ConfigTest, UncommentedExampleMeansTheDefaults) {
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
