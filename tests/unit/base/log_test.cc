#include "base/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/unique_fd.h"

namespace base {
namespace {

/// Replaces stderr by a pipe until the end of the test.
class LogTest : public testing::Test {
 protected:
  static constexpr int kLineCount = 10'000;

  LogTest() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    out_ = UniqueFd{ends[0]};
    const UniqueFd in{ends[1]};
    ::dup2(in.get(), STDERR_FILENO);
  }
  ~LogTest() override { restore(); }

  void restore() const { ::dup2(stderr_.get(), STDERR_FILENO); }

  static void fill() {
    ::fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
    while (::write(STDERR_FILENO, "filled\n", 7) > 0) {
    }
    ::fcntl(STDERR_FILENO, F_SETFL, 0);
  }

  static void write_numbers() {
    log::set_level(log::Level::kDebug);  // which has no LogLimit
    for (int i = 0; i < kLineCount; ++i) log::info("line", {{"number", i}});
    log::set_level(log::Level::kInfo);
  }
  static void expect_numbers(const std::string& all) {
    std::size_t at = 0;
    for (int i = 0; i < kLineCount; ++i) {
      at = all.find("info line number=" + std::to_string(i) + "\n", at);
      ASSERT_NE(at, std::string::npos) << i;
    }
  }

  /// Up to the first time that `end` is written, or to the end.
  std::string read_until(const std::string& end) const {
    std::string all;
    char some[4096];
    while (all.find(end) == std::string::npos) {
      const auto size = ::read(out_.get(), some, sizeof some);
      if (size <= 0) break;
      all.append(some, static_cast<std::size_t>(size));
    }
    return all;
  }

  const UniqueFd stderr_{::dup(STDERR_FILENO)};
  UniqueFd out_;
};

TEST_F(LogTest, LinesOfOneKindAreLimitedAndCounted) {
  const auto before = log::lines_left_out();
  for (int i = 0; i < 1100; ++i) log::info("often", {{"number", i}});
  EXPECT_NEAR(static_cast<double>(log::lines_left_out() - before), 100, 10);
  log::info("seldom");
  restore();
  EXPECT_EQ(read_until("info seldom\n").find("number=1099"), std::string::npos);
}

TEST_F(LogTest, AWriterWritesAllLinesInOrderBeforeItEnds) {
  ASSERT_GE(::fcntl(STDERR_FILENO, F_SETPIPE_SZ, 1 << 20), 1 << 20);
  {
    log::Writer writer;
    write_numbers();
    EXPECT_EQ(log::lines_dropped(), 0u);
  }
  log::info("after");
  restore();
  const auto all = read_until("nothing else");
  expect_numbers(all);
  EXPECT_TRUE(all.ends_with("info after\n"));
}

TEST_F(LogTest, NonBlockingStderrLosesNothing) {
  ::fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
  log::Writer writer;
  write_numbers();
  expect_numbers(read_until("number=" + std::to_string(kLineCount - 1) + "\n"));
  EXPECT_EQ(log::lines_dropped(), 0u);
}

TEST_F(LogTest, CountsLinesLostToAClosedStderr) {
  const auto before = log::lines_dropped();
  ::close(STDERR_FILENO);
  log::info("lost");
  restore();
  EXPECT_EQ(log::lines_dropped(), before + 1);
}

TEST_F(LogTest, AStuckStderrBlocksNoLogger) {
  fill();
  const auto start = Clock::now();
  {
    log::Writer writer{10, std::chrono::milliseconds{10}};
    for (int i = 0; i < 100; ++i) log::info("line", {{"number", i}});
    EXPECT_GE(log::lines_dropped(), 100u - 10u - 1u) << "ten wait, one may be on its way";
  }
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds{10});
  EXPECT_NE(read_until("number=99\n").find("number=98\n"), std::string::npos);
}

TEST_F(LogTest, TheLevelAppliesWithAndWithoutAWriter) {
  const auto write = [](const std::string& who) {
    log::set_level(log::Level::kWarning);
    log::info(who + "_little");
    log::warning(who + "_much");
    log::set_level(log::Level::kDebug);
    log::debug(who + "_least");
    log::set_level(log::Level::kInfo);
    log::debug(who + "_little");
  };
  write("direct");
  {
    log::Writer writer;
    write("thread");
  }
  restore();
  const auto all = read_until("nothing else");
  EXPECT_EQ(all.find("little"), std::string::npos);
  for (const std::string who : {"direct", "thread"}) {
    EXPECT_NE(all.find("warning " + who + "_much\n"), std::string::npos);
    EXPECT_NE(all.find("debug " + who + "_least\n"), std::string::npos);
  }
}

}  // namespace
}  // namespace base
