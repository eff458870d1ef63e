#include "base/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/unique_fd.h"

namespace base {
namespace {

/// Stderr is a pipe until the end.
class LogTest : public testing::Test {
 protected:
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

TEST_F(LogTest, AWriterWritesAllLinesInOrderUntilItsEnd) {
  constexpr int kLines = 10'000;
  ASSERT_GE(::fcntl(STDERR_FILENO, F_SETPIPE_SZ, 1 << 20), 1 << 20);
  {
    log::Writer writer;
    for (int i = 0; i < kLines; ++i) log::info("line", {{"number", i}});
    EXPECT_EQ(log::lines_dropped(), 0u);
  }
  log::info("after");
  restore();
  const auto all = read_until("nothing else");
  std::size_t at = 0;
  for (int i = 0; i < kLines; ++i) {
    at = all.find("info line number=" + std::to_string(i) + "\n", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
  EXPECT_NE(all.find("info after\n", at), std::string::npos);
}

TEST_F(LogTest, WhatNobodyReadsBlocksNobody) {
  fill();
  const auto start = Clock::now();
  {
    log::Writer writer{10, std::chrono::milliseconds{10}};
    for (int i = 0; i < 100; ++i) log::info("line", {{"number", i}});
    EXPECT_GE(log::lines_dropped(), 100u - 10u - 1u) << "ten wait, one may be on its way";
  }
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds{10});
  EXPECT_LT(Clock::now() - start, std::chrono::seconds{1});
  EXPECT_NE(read_until("number=99\n").find("number=98\n"), std::string::npos);
}

TEST_F(LogTest, TheLevelIsTheWritersToo) {
  log::set_level(log::Level::kWarning);
  {
    log::Writer writer;
    log::info("little");
    log::warning("much");
  }
  log::set_level(log::Level::kInfo);
  restore();
  const auto all = read_until("nothing else");
  EXPECT_EQ(all.find("little"), std::string::npos);
  EXPECT_NE(all.find("warning much\n"), std::string::npos);
}

}  // namespace
}  // namespace base
