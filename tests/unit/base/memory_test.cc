#include "base/memory.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(MemoryTest, ReadsLimitsOfControlGroups) {
  EXPECT_EQ(parse_memory_max("536870912"), ByteCount{512 << 20});
  for (const auto* none : {"max", "", "0", "-1", "512M", "9223372036854775808"}) {
    EXPECT_EQ(parse_memory_max(none), std::nullopt) << none;
  }
}

TEST(MemoryTest, ThisProcessMayUseSome) { EXPECT_GT(usable_memory(), ByteCount{1 << 20}); }

}  // namespace
}  // namespace base
