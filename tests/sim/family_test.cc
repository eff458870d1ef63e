#include "family.h"

#include <gtest/gtest.h>

#include <fstream>

namespace sim {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

std::vector<Scenario> many() {
  std::vector<Scenario> all;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) all.push_back(family_scenario(seed));
  return all;
}

TEST(FamilyTest, HasLinksOfEachKind) {
  const auto all = many();
  const auto share = [&](auto is) {
    return static_cast<double>(std::ranges::count_if(all, is)) / static_cast<double>(all.size());
  };
  const auto others = [](const Scenario& s, bool web) {
    return !s.others.empty() && s.others.front().web.has_value() == web;
  };
  EXPECT_NEAR(share([&](const Scenario& s) { return others(s, false); }), 0.21, 0.05);
  EXPECT_NEAR(share([&](const Scenario& s) { return others(s, true); }), 0.14, 0.05);
  EXPECT_NEAR(share([](const Scenario& s) { return s.viewers > 1; }), 0.2, 0.05);
  EXPECT_NEAR(share([](const Scenario& s) { return s.link.burst_enter > 0; }), 0.2, 0.05);
  EXPECT_NEAR(share([](const Scenario& s) { return s.link.loss > 0; }), 0.2, 0.05);
  EXPECT_NEAR(share([](const Scenario& s) { return s.link.fair; }), 0.17, 0.05);
  EXPECT_NEAR(share([](const Scenario& s) { return s.link.bucket.bytes() > 0; }), 0.1, 0.05);
  EXPECT_NEAR(share([](const Scenario& s) { return !s.changes.empty(); }), 0.4, 0.05);
  EXPECT_NEAR(share([](const Scenario& s) { return s.viewer.congestion_control == "bbr"; }), 0.5,
              0.05);
}

TEST(FamilyTest, IsWithinItsRanges) {
  for (const auto& scenario : many()) {
    const auto& link = scenario.link;
    EXPECT_GE(link.rate, BitRate::mbps(1)) << scenario.describe();
    EXPECT_LE(link.rate, BitRate::mbps(50)) << scenario.describe();
    EXPECT_GE(link.queue.bytes(), 7500) << scenario.describe();
    EXPECT_LE(link.queue / link.rate, 2s) << scenario.describe();
    EXPECT_GE(scenario.viewer.round_trip, 5ms) << scenario.describe();
    EXPECT_LE(scenario.viewer.round_trip, 300ms) << scenario.describe();
    for (const auto& change : scenario.changes) {
      EXPECT_LT(change.at, scenario.length) << scenario.describe();
      EXPECT_EQ(change.settings.queue, link.queue) << scenario.describe();
    }
  }
}

TEST(FamilyTest, ASeedAlwaysDrawsTheSameLink) {
  EXPECT_EQ(family_scenario(7).describe(), family_scenario(7).describe());
  EXPECT_NE(family_scenario(7).describe(), family_scenario(8).describe());
}

TEST(FamilyTest, TheOthersComeOnceTheViewerHasSettled) {
  const auto all = scenarios_beside_others();
  EXPECT_EQ(all.size(), 3u * 3 * 4 * 2);
  for (const auto& scenario : all) {
    ASSERT_FALSE(scenario.others.empty());
    const auto users = static_cast<double>(scenario.others.size()) + 1;
    EXPECT_NEAR(scenario.payload(0s) / scenario.payload(20s), users, 1e-3) << scenario.describe();
  }
}

class RecordedTest : public ::testing::Test {
 protected:
  Scenario read(const std::string& text) {
    const auto path = std::filesystem::path{testing::TempDir()} / "train.txt";
    std::ofstream{path} << text;
    return recorded_scenario(path);
  }
};

TEST_F(RecordedTest, HasTheRatesOfTheFile) {
  const auto scenario = read("# a train\n0 2500\n500.5 0\n1000 4000\n");
  EXPECT_EQ(scenario.name, "train");
  EXPECT_EQ(scenario.link.rate, BitRate::kbps(2500));
  ASSERT_EQ(scenario.changes.size(), 3u);
  EXPECT_NEAR(base::seconds(scenario.changes[1].at), 0.5005, 1e-6);
  EXPECT_EQ(scenario.changes[1].settings.rate, BitRate{1});  // 0 would mean no limit
  EXPECT_EQ(scenario.changes[2].settings.rate, BitRate::kbps(4000));
}

TEST_F(RecordedTest, OtherFilesAreRefused) {
  EXPECT_THROW(read(""), std::runtime_error);
  EXPECT_THROW(read("# a train\n0 2500\nhalf a second\n"), std::runtime_error);
  EXPECT_THROW(recorded_scenario("no/such/file"), std::runtime_error);
}

}  // namespace
}  // namespace sim
