#include "netlab/command.h"

#include <gtest/gtest.h>

namespace netlab {
namespace {

using namespace std::chrono_literals;

TEST(CommandTest, ReadsDirectionAndSettings) {
  const auto command = parse_command("down rate=1.5M delay=20ms");
  ASSERT_TRUE(command);
  EXPECT_TRUE(command->down);
  EXPECT_FALSE(command->up);
  EXPECT_FALSE(command->client);
  const auto settings = assign({}, command->assignments);
  EXPECT_EQ(settings->rate, base::BitRate::mbps(1.5));
  EXPECT_EQ(settings->delay, 20ms);
}

TEST(CommandTest, AcceptsOneClient) {
  const auto command = parse_command("3 both blackhole=on");
  ASSERT_TRUE(command);
  EXPECT_EQ(command->client, 3u);
  EXPECT_TRUE(command->down && command->up);
}

TEST(CommandTest, LeavesOtherSettingsAlone) {
  const auto settings = assign({.loss = 0.1}, "queue=32k");
  EXPECT_EQ(settings->loss, 0.1);
  EXPECT_EQ(settings->queue, base::ByteCount{32000});
}

TEST(CommandTest, RefusesUnknownWords) {
  EXPECT_FALSE(parse_command("sideways rate=1M"));
  EXPECT_FALSE(parse_command("down speed=1M"));
  EXPECT_FALSE(parse_command("down rate"));
  EXPECT_FALSE(parse_command("down rate=fast"));
  EXPECT_FALSE(parse_command("down loss=1.5"));
  EXPECT_FALSE(parse_command("down delay=20"));
}

TEST(CommandTest, NamesTheWordItRefuses) {
  EXPECT_EQ(parse_command("down rate=1M speed=2").error(), "not a link setting: speed=2");
}

TEST(CommandTest, TimesNeedAUnit) {
  EXPECT_EQ(parse_duration("250us"), 250us);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_FALSE(parse_duration("5"));
}

}  // namespace
}  // namespace netlab
