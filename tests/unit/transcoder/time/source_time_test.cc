#include "transcoder/time/source_time.h"

#include <gtest/gtest.h>

#include <limits>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

TEST(SourceTimeTest, CountsFromAnyDay) {
  EXPECT_EQ(source_time(1, 5'000'000'000), 5s);
  EXPECT_EQ(source_time(-1, 5'000'000'000), -5s);
  constexpr std::uint64_t kNow = 1'800'000'000'000'000'000;  // since 1970
  EXPECT_EQ(source_time(1, kNow), base::Duration{kNow});
}

TEST(SourceTimeTest, IsNoneBeyondALifetime) {
  EXPECT_FALSE(source_time(1, std::uint64_t{1} << 63));
  EXPECT_FALSE(source_time(-1, std::uint64_t{1} << 63));
  EXPECT_FALSE(source_time(1, std::numeric_limits<std::uint64_t>::max()));
}

}  // namespace
}  // namespace transcoder
