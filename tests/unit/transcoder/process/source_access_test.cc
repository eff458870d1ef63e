#include "transcoder/process/source_access.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

constexpr base::Time kNow{std::chrono::hours{1}};

TEST(StreamAccessesTest, AStreamKeepsItsOwnFromProcessToProcess) {
  StreamAccesses accesses;
  const std::weak_ptr first = accesses.of("live", kNow);
  EXPECT_EQ(accesses.of("live", kNow + StreamAccesses::kKept), first.lock());
}

TEST(StreamAccessesTest, IsKeptFromTheEndOfALongProcess) {
  StreamAccesses accesses;
  auto entry = accesses.of("live", base::Clock::now() - 2 * StreamAccesses::kKept);
  const std::weak_ptr first = entry;
  SourceAccess{"live", SourceSettings{.uri = "file:///a.ts"}, std::move(entry)};
  accesses.of("other", base::Clock::now());
  EXPECT_FALSE(first.expired());
}

TEST(StreamAccessesTest, ARemovedStreamIsForgotten) {
  StreamAccesses accesses;
  accesses.of("removed", kNow);
  const auto held = accesses.of("plays", kNow);
  const auto later = kNow + StreamAccesses::kKept;
  accesses.of("live", later);
  EXPECT_EQ(accesses.known(), 2u) << "a process has that of the other one";
  EXPECT_EQ(accesses.of("plays", later), held);
}

}  // namespace
}  // namespace transcoder
