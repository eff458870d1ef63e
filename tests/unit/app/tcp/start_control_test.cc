#include "app/tcp/start_control.h"

#include <gtest/gtest.h>

namespace app {
namespace {

const StandardControls kStandard{.standard = "cubic", .automatic = "bbr"};
const auto kHome = *base::Address::parse("10.1.2.3");
const NetworkRule kHomeRule{.network = *server::Network::parse("10.0.0.0/8")};

TEST(StartControlTest, IsTheKernelsIfNothingNamesOne) {
  const auto control = start_control(kHome, {.congestion_control = ""}, kStandard);
  EXPECT_EQ(control.name, "cubic");
  EXPECT_FALSE(control.automatic);
}

TEST(StartControlTest, IsTheStreamsOne) {
  const auto control = start_control(kHome, {.congestion_control = "reno"}, kStandard);
  EXPECT_EQ(control.name, "reno");
  EXPECT_FALSE(control.automatic);
}

TEST(StartControlTest, AutoBeginsWithTheMachinesChoice) {
  const auto control = start_control(kHome, {.congestion_control = "auto"}, kStandard);
  EXPECT_EQ(control.name, "bbr");
  EXPECT_TRUE(control.automatic);
}

TEST(StartControlTest, AutoWithoutBbrKeepsTheKernels) {
  const auto control = start_control(kHome, {.congestion_control = "auto"},
                                     {.standard = "cubic", .automatic = "cubic"});
  EXPECT_EQ(control.name, "cubic");
  EXPECT_FALSE(control.automatic);
}

TEST(StartControlTest, AutoKeepsBbrWhereCubicMayNotBeSet) {
  const auto control = start_control(kHome, {.congestion_control = "auto"},
                                     {.standard = "cubic", .automatic = "bbr", .chooses = false});
  EXPECT_EQ(control.name, "bbr");
  EXPECT_FALSE(control.automatic);
}

TEST(StartControlTest, ARuleThatNamesOneWins) {
  auto rule = kHomeRule;
  TcpSettings tcp{.congestion_control = "auto", .networks = {rule}};
  EXPECT_TRUE(start_control(kHome, tcp, kStandard).automatic) << "the rule names none";
  rule.congestion_control = "reno";
  tcp.networks.push_back(rule);
  EXPECT_EQ(start_control(kHome, tcp, kStandard).name, "reno");
  EXPECT_FALSE(start_control(kHome, tcp, kStandard).automatic);
  EXPECT_TRUE(start_control(*base::Address::parse("192.0.2.1"), tcp, kStandard).automatic);
}

TEST(StartControlTest, ARuleMayBeAuto) {
  auto rule = kHomeRule;
  rule.congestion_control = "auto";
  const TcpSettings tcp{.congestion_control = "reno", .networks = {rule}};
  EXPECT_EQ(start_control(kHome, tcp, kStandard).name, "bbr");
}

}  // namespace
}  // namespace app
