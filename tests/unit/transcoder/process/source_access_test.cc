#include "transcoder/process/source_access.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

constexpr base::Time kNow{std::chrono::hours{1}};

TEST(StreamAccessesTest, AStreamKeepsItsOwnFromProcessToProcess) {
  StreamAccesses accesses;
  const auto* first = accesses.of("live", kNow).get();
  EXPECT_EQ(accesses.of("live", kNow + StreamAccesses::kKept).get(), first);
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
