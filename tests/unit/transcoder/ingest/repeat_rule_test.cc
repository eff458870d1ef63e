#include "transcoder/ingest/repeat_rule.h"

#include <gtest/gtest.h>

#include <optional>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

constexpr base::Time kStart{1h};

TEST(RepeatRuleTest, RepeatsSoonerWhenNoPicturesCome) {
  RepeatRule rule{kStart};
  EXPECT_EQ(rule.quiet(true, kStart + 200ms), kFreezeTime);
  EXPECT_EQ(rule.quiet(false, kStart + 400ms), kRepeatInterval);
}

TEST(RepeatRuleTest, GivesTheSourceItsTurnAfterThePauseOfAServer) {
  RepeatRule rule{kStart};
  EXPECT_EQ(rule.quiet(true, kStart + 1500ms), std::nullopt);
  EXPECT_EQ(rule.quiet(true, kStart + 1700ms), kFreezeTime);
}

TEST(RepeatRuleTest, RepeatsOnAMachineThatIsAlwaysLate) {
  RepeatRule rule{kStart};
  EXPECT_EQ(rule.quiet(false, kStart + 1s), std::nullopt);
  EXPECT_EQ(rule.quiet(false, kStart + 2s), kRepeatInterval);
}

}  // namespace
}  // namespace transcoder
