#include "app/config/config_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config_file.h"

namespace app {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr auto kStreamA = "[[stream]]\nname = \"a\"\nsource = \"test:\"\n";
constexpr auto kStreamB = "[[stream]]\nname = \"b\"\nsource = \"test:\"\n";

class ConfigFilesTest : public ConfigFile {
 protected:
  std::vector<std::string> names(const Config& config) const {
    std::vector<std::string> out;
    for (const auto& stream : config.streams) out.push_back(stream.media.name);
    return out;
  }
};

TEST_F(ConfigFilesTest, StreamsOfAllFilesAreJoinedInTheOrderOfTheNames) {
  file_.write("conf.d/20-b.toml", kStreamB);
  file_.write("conf.d/10-c.toml", "[[stream]]\nname = \"c\"\nsource = \"test:\"\n");
  EXPECT_THAT(names(load(kStreamA)), ElementsAre("a", "c", "b"));
}

TEST_F(ConfigFilesTest, ALaterValueReplacesAnEarlierOne) {
  file_.write("conf.d/10.toml", "[rate]\nmax = \"2M\"\n[admin]\nallow = [\"10.0.0.0/8\"]\n");
  file_.write("conf.d/9.toml", "[rate]\nmax = \"3M\"\nmin = \"100k\"\n");  // "10" < "9"
  const auto config = load("[rate]\nmax = \"1M\"\n[admin]\nallow = [\"::1\"]\n");
  const auto& rate = config.streams.at(0).control.rate;
  EXPECT_EQ(rate.max, base::BitRate::mbps(3));
  EXPECT_EQ(rate.min, base::BitRate::kbps(100));
  ASSERT_EQ(config.server.admin_allow.size(), 1U) << "a list is replaced as a whole";
  EXPECT_EQ(config.server.admin_allow[0].text(), "10.0.0.0/8");
}

TEST_F(ConfigFilesTest, AStreamInheritsFromLaterFiles) {
  file_.write("conf.d/rates.toml", "[rate]\nmax = \"2M\"\n");
  EXPECT_EQ(load(kStreamA).streams.at(0).control.rate.max, base::BitRate::mbps(2));
}

TEST_F(ConfigFilesTest, TwoStreamsOfOneNameAreAnErrorThatNamesBothFiles) {
  file_.write("conf.d/more.toml", kStreamA);
  const auto more = (file_.directory() / "conf.d/more.toml").string();
  EXPECT_THAT(errors(kStreamA), ElementsAre(more + ":2:8: name: another stream is called \"a\" (" +
                                            file_.path() + ":2:8); choose a different name"));
}

TEST_F(ConfigFilesTest, AMistakeNamesItsFile) {
  file_.write("conf.d/more.toml", "[rate]\nmaxx = 1\n");
  const auto more = (file_.directory() / "conf.d/more.toml").string();
  EXPECT_THAT(errors(kStreamA), ElementsAre(StartsWith(more + ":2:1: unknown key rate.maxx")));
}

TEST_F(ConfigFilesTest, OtherFilesAreLeftAlone) {
  for (const auto* name : {"conf.d/a.toml.dpkg-old", "conf.d/a.toml~", "conf.d/.hidden.toml"}) {
    file_.write(name, "nonsense");
  }
  file_.write(kStreamA);
  EXPECT_THAT(config_files(file_.path()), ElementsAre(file_.path()));
}

}  // namespace
}  // namespace app
