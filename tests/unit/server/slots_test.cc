#include "server/slots.h"

#include <gtest/gtest.h>

#include <optional>

namespace server {
namespace {

const Address kA = *Address::parse("192.0.2.1");
const Address kB = *Address::parse("192.0.2.2");

bool is_seat(const std::variant<Slots::Slot, Slots::Full>& result) {
  return std::holds_alternative<Slots::Slot>(result);
}

TEST(SlotsTest, AreLimitedInAll) {
  Slots slots{2, 9};
  const auto first = slots.take(kA);
  const auto second = slots.take(kB);
  EXPECT_TRUE(is_seat(first) && is_seat(second));
  EXPECT_EQ(std::get<Slots::Full>(slots.take(kA)), Slots::Full::kInAll);
}

TEST(SlotsTest, AreLimitedPerAddress) {
  Slots slots{9, 1};
  const auto first = slots.take(kA);
  EXPECT_EQ(std::get<Slots::Full>(slots.take(kA)), Slots::Full::kFromAddress);
  EXPECT_TRUE(is_seat(slots.take(kB)));
}

TEST(SlotsTest, AreFreedWhenDestroyed) {
  Slots slots{1, 1};
  { const auto slot = slots.take(kA); }
  EXPECT_EQ(slots.taken(), 0);
  EXPECT_TRUE(is_seat(slots.take(kA)));
}

TEST(SlotsTest, AreFreedOnceAfterAMove) {
  Slots slots{2, 2};
  auto first = std::get<Slots::Slot>(slots.take(kA));
  {
    Slots::Slot second = std::move(first);
    EXPECT_EQ(slots.taken(), 1);
    first = {};
    EXPECT_EQ(slots.taken(), 1);
  }
  EXPECT_EQ(slots.taken(), 0);
}

}  // namespace
}  // namespace server
