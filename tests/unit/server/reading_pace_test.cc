#include "server/reading_pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "server/settings.h"

namespace server {
namespace {

using base::BitRate;
using base::ByteCount;
using namespace std::chrono_literals;

constexpr base::Duration kLook = 250ms;

class ReadingPaceTest : public testing::Test {
 protected:
  ReadingPaceTest() { pace_.begin({}, now_); }

  /// The next look, after `read` has been acknowledged.
  std::optional<TooSlow> look(ByteCount read) { return pace_.judge(read_ += read, now_ += kLook); }

  /// Reads at `rate` until `size` is read. Returns why that was too slow, or nullopt.
  std::optional<TooSlow> load(ByteCount size, BitRate rate) {
    const auto end = read_ + size;
    while (read_ < end) {
      if (const auto slow = look(rate * kLook)) return slow;
    }
    return std::nullopt;
  }

  base::Duration elapsed() const { return now_ - base::Time{}; }

  const Settings defaults_;
  ReadingPace pace_{defaults_.stall_timeout, defaults_.min_rate};
  base::Time now_{};
  ByteCount read_;
};

TEST_F(ReadingPaceTest, WhoReadsNothingIsStalled) {
  while (elapsed() < 9750ms) ASSERT_FALSE(look({}));
  EXPECT_EQ(look({}), TooSlow::kStalled);
}

TEST_F(ReadingPaceTest, APauseIsForgottenOnceSomethingIsRead) {
  ASSERT_FALSE(load(ByteCount{1'000'000}, BitRate::mbps(1)));
  for (int pause = 0; pause < 2; ++pause) {
    for (int i = 0; i < 39; ++i) ASSERT_FALSE(look({}));
    ASSERT_FALSE(look(ByteCount{1}));
  }
}

TEST_F(ReadingPaceTest, WhoReadsALittleNowAndThenIsTooSlow) {
  std::optional<TooSlow> slow;
  while (!slow) slow = look(ByteCount{elapsed() % 8s == 0s ? 4096 : 0});
  EXPECT_EQ(slow, TooSlow::kRate);
  EXPECT_LT(elapsed(), 13s);
}

TEST_F(ReadingPaceTest, ASlowLinkLoadsASegment) {
  EXPECT_FALSE(load(ByteCount{125'000}, BitRate::kbps(100)));
}

TEST_F(ReadingPaceTest, ThreeTransfersShareASlowLink) {
  EXPECT_FALSE(load(ByteCount{600'000}, BitRate::kbps(100.0 / 3)));
}

TEST_F(ReadingPaceTest, ASmallResponseMayTakeItsTime) {
  EXPECT_FALSE(load(ByteCount{30'000}, BitRate::kbps(16)));
}

TEST_F(ReadingPaceTest, EachResponseIsJudgedByItself) {
  ASSERT_FALSE(load(ByteCount{10'000'000}, BitRate::mbps(10)));
  pace_.begin(read_, now_);
  EXPECT_EQ(load(ByteCount{100'000}, BitRate::kbps(8)), TooSlow::kRate);
}

TEST_F(ReadingPaceTest, APauseOfTheServerIsNotTheClients) {
  now_ += 1h;
  EXPECT_FALSE(look({}));
}

TEST_F(ReadingPaceTest, TheRateMayBeAnything) {
  ReadingPace patient{10s, BitRate{}};
  patient.begin({}, now_);
  for (int i = 1; i < 10'000; ++i) {
    ASSERT_FALSE(patient.judge(ByteCount{i}, now_ += kLook));
  }
}

}  // namespace
}  // namespace server
