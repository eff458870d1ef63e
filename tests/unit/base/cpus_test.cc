#include "base/cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace base {
namespace {

TEST(CpusTest, ReadsTheLimitOfAControlGroup) {
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_max("50000 100000"), 0.5);
  for (const char* text : {"max 100000", "", "100000", "0 100000", "100000 0", "-1 100000"}) {
    EXPECT_EQ(parse_cpu_max(text), std::nullopt) << text;
  }
}

TEST(CpusTest, CountsTheCpusOfTheAffinityMask) {
  // In a thread of its own: the mask is that of the thread.
  std::thread{[] {
    EXPECT_GT(usable_cpus(), 0);
    cpu_set_t mask;
    ASSERT_EQ(::sched_getaffinity(0, sizeof mask, &mask), 0);
    int first = 0;
    while (!CPU_ISSET(first, &mask)) ++first;
    CPU_ZERO(&mask);
    CPU_SET(first, &mask);
    ASSERT_EQ(::sched_setaffinity(0, sizeof mask, &mask), 0);
    EXPECT_LE(usable_cpus(), 1);
    EXPECT_EQ(cpu_threads(), 1);
  }}.join();
}

}  // namespace
}  // namespace base
