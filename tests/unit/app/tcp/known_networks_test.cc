#include "app/tcp/known_networks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "test_files.h"

namespace app {
namespace {

using abr::CongestionControl;
using Reason = abr::NetworkHistory::Reason;

const auto kViewer = *base::Address::parse("192.0.2.7");

class KnownNetworksTest : public testing::Test {
 protected:
  std::string file() const { return files_.directory() / "networks.json"; }
  std::string content() const {
    std::ostringstream out;
    out << std::ifstream{file()}.rdbuf();
    return out.str();
  }

  TemporaryFile files_;
};

TEST_F(KnownNetworksTest, WhatIsLearnedSurvivesARestart) {
  KnownNetworks before{file()};
  before.add(kViewer, CongestionControl::kBbr, {60, -60});
  before.add(kViewer, CongestionControl::kCubic, {60, -6});
  before.save();
  const KnownNetworks after{file()};
  EXPECT_EQ(after.best(kViewer).control, CongestionControl::kCubic);
  EXPECT_EQ(after.state().best[static_cast<std::size_t>(CongestionControl::kCubic)], 1U);
  EXPECT_NE(content().find("192.0.2.0/24"), std::string::npos);
  EXPECT_EQ(content().find("192.0.2.7"), std::string::npos) << "no address of a viewer is kept";
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(file()).permissions() & perms::others_all, perms::none);
}

TEST_F(KnownNetworksTest, ATrialSurvivesARestart) {
  KnownNetworks before{file()};
  before.add(kViewer, CongestionControl::kBbr, {60, -60});
  EXPECT_EQ(before.start(kViewer).reason, Reason::kTrial);
  before.save();
  EXPECT_EQ(KnownNetworks{file()}.start(kViewer).reason, Reason::kBest);
}

TEST_F(KnownNetworksTest, WithoutAFileNothingIsKept) {
  KnownNetworks networks{""};
  networks.add(kViewer, CongestionControl::kCubic, {60, -6});
  networks.save();
  EXPECT_EQ(networks.best(kViewer).control, CongestionControl::kCubic);
}

TEST_F(KnownNetworksTest, AFileThatCannotBeReadIsReplaced) {
  for (const std::string bad :
       {"", "{", "[]", R"({"version":2,"networks":[]})", R"({"version":1,"networks":[{}]})",
        R"({"version":1,"networks":[{"network":"home","updated":1,"trial":0}]})",
        R"({"version":1,"networks":[{"network":"192.0.2.0/24","updated":1,"trial":0,"bbr":{}}]})",
        R"({"version":1,"networks":[{"network":"192.0.2.0/24","updated":1,"trial":0,)"
        R"("bbr":{"seconds":-1,"quality":0}}]})"}) {
    files_.write("networks.json", bad);
    testing::internal::CaptureStderr();
    KnownNetworks networks{file()};
    networks.add(kViewer, CongestionControl::kCubic, {60, -6});
    networks.save();
    EXPECT_EQ(KnownNetworks{file()}.best(kViewer).control, CongestionControl::kCubic) << bad;
    testing::internal::GetCapturedStderr();
  }
}

TEST_F(KnownNetworksTest, ADirectoryThatIsMissingLosesNothing) {
  KnownNetworks networks{files_.directory() / "gone" / "networks.json"};
  networks.add(kViewer, CongestionControl::kCubic, {60, -6});
  networks.save();
  EXPECT_EQ(networks.best(kViewer).control, CongestionControl::kCubic);
}

TEST(NetworksFileTest, IsInTheGivenDirectoryOrSystemds) {
  ::unsetenv("STATE_DIRECTORY");
  EXPECT_EQ(networks_file(""), "");
  EXPECT_EQ(networks_file("/srv/a:b"), "/srv/a:b/networks.json");
  ::setenv("STATE_DIRECTORY", "/var/lib/symcast:/var/lib/other", 1);
  EXPECT_EQ(networks_file(""), "/var/lib/symcast/networks.json");
  EXPECT_EQ(networks_file("/srv"), "/srv/networks.json");
  ::unsetenv("STATE_DIRECTORY");
}

}  // namespace
}  // namespace app
