#include "transcoder/process/use_limits.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "transcoder/process/memory_budget.h"

namespace transcoder {
namespace {

using namespace std::chrono_literals;

constexpr base::ByteCount megabytes(std::int64_t count) { return base::ByteCount{count << 20}; }

struct UseLimitsTest : testing::Test {
  std::string excess(const ProcessUse& use, base::Duration at = 0s) {
    return limits.excess(use, base::Time{at}).value_or("");
  }

  UseLimits limits{{.memory = megabytes(100), .shared = megabytes(20), .cpus = 1.5, .threads = 10}};
};

TEST_F(UseLimitsTest, MemoryMayBeThatOfTheSourceAndThePictures) {
  EXPECT_EQ(excess({.memory = megabytes(120)}), "");
  EXPECT_EQ(excess({.memory = megabytes(121)}),
            "its process uses more memory than source.memory allows (100 MB)");
}

TEST_F(UseLimitsTest, ThreadsAreCounted) {
  EXPECT_EQ(excess({.threads = 10}), "");
  EXPECT_EQ(excess({.threads = 11}), "its process runs 11 threads; at most 10 are allowed");
}

TEST_F(UseLimitsTest, CpuTimeMayBeAboveTheLimitForAMoment) {
  EXPECT_EQ(excess({.cpu = 5s}, 0s), "");
  EXPECT_EQ(excess({.cpu = 13s}, 4s), "") << "two CPUs";
  EXPECT_EQ(excess({.cpu = 20s}, 11s), "") << "1.36 over the window";
  EXPECT_EQ(excess({.cpu = 39s}, 22s), "its process uses 1.7 CPUs; source.cpu allows 1.5");
}

TEST(ProcessUseTest, ReadsTheStatusOfAProcess) {
  const auto use = parse_status(
      "Name:\tx\nVmRSS:\t 9 kB\nRssAnon:\t    1024 kB\nRssShmem:\t 2 kB\n"
      "Threads:\t17\nSigQ:\t0/1\n");
  EXPECT_EQ(use.memory, base::ByteCount{1026 * 1024});
  EXPECT_EQ(use.threads, 17);
  EXPECT_EQ(parse_status("").threads, 0);
  EXPECT_EQ(parse_status("\nThreads:\tx\nRssAnon:").memory, base::ByteCount{});
}

TEST(ProcessUseTest, OfThisProcess) {
  const auto use = use_of(::getpid());
  ASSERT_TRUE(use);
  EXPECT_GT(use->memory, megabytes(0));
  EXPECT_GE(use->threads, 1);
  EXPECT_GT(use->cpu, 0s);
}

TEST(MemoryBudgetTest, TheLargestHasToEnd) {
  MemoryBudget budget{megabytes(100)};
  const int a = 0;
  const int b = 0;
  EXPECT_FALSE(budget.note(&a, megabytes(60)));
  EXPECT_FALSE(budget.note(&b, megabytes(40)));
  EXPECT_FALSE(budget.note(&b, megabytes(50))) << "it is not the largest";
  EXPECT_TRUE(budget.note(&a, megabytes(60)));
  budget.note(&a, {});
  EXPECT_FALSE(budget.note(&b, megabytes(100)));
}

}  // namespace
}  // namespace transcoder
