#include "app/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "app/config/version.h"

namespace app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::variant<CommandLine, Exit> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "symcast");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

CommandLine parsed(const std::vector<const char*>& arguments) {
  return std::get<CommandLine>(parse(arguments));
}

Exit exit_of(const std::vector<const char*>& arguments) { return std::get<Exit>(parse(arguments)); }

TEST(CommandLineTest, ServeNeedsNoFlags) {
  const auto line = parsed({"serve"});
  EXPECT_EQ(line.command, CommandLine::Command::kServe);
  EXPECT_EQ(line.config_path, "");
  EXPECT_FALSE(line.overrides.policy);
}

TEST(CommandLineTest, ServeTakesAllFlags) {
  const auto line = parsed({"serve", "--config", "a.toml", "--policy", "off", "--trace", "/t",
                            "--congestion-control", "bbr", "--log-level", "debug"});
  EXPECT_EQ(line.config_path, "a.toml");
  EXPECT_EQ(line.overrides.policy, "off");
  EXPECT_EQ(line.overrides.trace_directory, "/t");
  EXPECT_EQ(line.overrides.congestion_control, "bbr");
  EXPECT_EQ(line.overrides.log_level, "debug");
}

TEST(CommandLineTest, ListenAndSourceCanBeRepeated) {
  const auto line = parsed({"serve", "--listen", ":1", "--source", "a=test:", "--listen", "[::]:2",
                            "--source", "b=file:/x y"});
  EXPECT_THAT(line.overrides.listen, ElementsAre(":1", "[::]:2"));
  EXPECT_THAT(line.overrides.sources, ElementsAre("a=test:", "b=file:/x y"));
}

TEST(CommandLineTest, SourceKeepsCommasAndBrackets) {
  const auto line = parsed({"serve", "--source", "a=gst:videotestsrc ! video/x-raw,width=[1,2]"});
  EXPECT_THAT(line.overrides.sources, ElementsAre("a=gst:videotestsrc ! video/x-raw,width=[1,2]"));
}

TEST(CommandLineTest, CheckTakesAFile) {
  const auto line = parsed({"check", "a.toml"});
  EXPECT_EQ(line.command, CommandLine::Command::kCheck);
  EXPECT_EQ(line.config_path, "a.toml");
  EXPECT_FALSE(line.show);
}

TEST(CommandLineTest, CheckWithoutFileIsAUsageError) {
  const auto exit = exit_of({"check"});
  EXPECT_EQ(exit.code, 2);
  EXPECT_THAT(exit.err, HasSubstr("FILE"));
}

TEST(CommandLineTest, ReferenceNeedsNoFile) {
  EXPECT_TRUE(parsed({"check", "--reference"}).reference);
}

TEST(CommandLineTest, DoctorTakesAConfiguration) {
  const auto line = parsed({"doctor", "--config", "a.toml"});
  EXPECT_EQ(line.command, CommandLine::Command::kDoctor);
  EXPECT_EQ(line.config_path, "a.toml");
}

TEST(CommandLineTest, TopSortsByTroubleEverySecond) {
  const auto line = parsed({"top"});
  EXPECT_EQ(line.command, CommandLine::Command::kTop);
  EXPECT_EQ(line.top.interval, std::chrono::seconds{1});
  EXPECT_EQ(line.top.sort, SortKey::kTrouble);
  EXPECT_FALSE(line.top.once);
}

TEST(CommandLineTest, TopTakesAllFlags) {
  const auto line = parsed({"top", "--config", "a.toml", "--listen", ":1", "--interval", "500ms",
                            "--sort", "rtt", "--once"});
  EXPECT_EQ(line.config_path, "a.toml");
  EXPECT_THAT(line.overrides.listen, ElementsAre(":1"));
  EXPECT_EQ(line.top.interval, std::chrono::milliseconds{500});
  EXPECT_EQ(line.top.sort, SortKey::kRtt);
  EXPECT_TRUE(line.top.once);
}

TEST(CommandLineTest, TopRejectsWrongIntervalsAndSortKeys) {
  EXPECT_THAT(exit_of({"top", "--interval", "1ms"}).err, HasSubstr("between 100ms and 1h"));
  EXPECT_THAT(exit_of({"top", "--sort", "name"}).err, HasSubstr("trouble|rate"));
}

TEST(CommandLineTest, UnknownFlagIsAUsageError) {
  const auto exit = exit_of({"serve", "--sauce", "a=test:"});
  EXPECT_EQ(exit.code, 2);
  EXPECT_THAT(exit.err, HasSubstr("--sauce"));
}

TEST(CommandLineTest, MisspeltFlagNamesTheNearest) {
  EXPECT_THAT(exit_of({"serve", "--lisen", ":1"}).err, HasSubstr("did you mean --listen?"));
}

TEST(CommandLineTest, NoCommandIsAUsageError) { EXPECT_EQ(exit_of({}).code, 2); }

TEST(CommandLineTest, VersionGoesToStandardOutput) {
  const auto exit = exit_of({"--version"});
  EXPECT_EQ(exit.code, 0);
  EXPECT_THAT(exit.out, HasSubstr(std::string{"symcast "} + kVersion));
}

TEST(CommandLineTest, HelpShowsExamples) {
  const auto exit = exit_of({"--help"});
  EXPECT_EQ(exit.code, 0);
  EXPECT_THAT(exit.out, HasSubstr("symcast serve --source"));
}

TEST(CommandLineTest, HelpOfACommandShowsItsFlags) {
  EXPECT_THAT(exit_of({"serve", "--help"}).out, HasSubstr("--congestion-control NAME"));
  for (const auto* command : {"serve", "check", "doctor", "top"}) {
    EXPECT_THAT(exit_of({command, "--help"}).out, Not(HasSubstr("Examples:"))) << command;
  }
}

}  // namespace
}  // namespace app
