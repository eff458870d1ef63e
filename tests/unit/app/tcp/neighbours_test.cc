#include "app/tcp/neighbours.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace app {
namespace {

base::Address address(const std::string& text) { return *base::Address::parse(text); }

TEST(NeighboursTest, CountsTheOthersAtTheSameAddressWhileTheyWatch) {
  Neighbours neighbours;
  const Neighbours::Place first{neighbours, address("192.0.2.7")};
  EXPECT_EQ(first.others(), 0U);
  {
    std::optional<Neighbours::Place> second;
    second.emplace(neighbours, address("192.0.2.7"));
    const Neighbours::Place elsewhere{neighbours, address("192.0.2.8")};
    EXPECT_EQ(first.others(), 1U);
    EXPECT_EQ(second->others(), 1U);
    EXPECT_EQ(elsewhere.others(), 0U);
  }
  EXPECT_EQ(first.others(), 0U);
}

TEST(NeighboursTest, AHomeHasA64) {
  Neighbours neighbours;
  const Neighbours::Place one{neighbours, address("2001:db8::1")};
  const Neighbours::Place two{neighbours, address("2001:db8::2")};
  const Neighbours::Place other{neighbours, address("2001:db8:0:1::1")};
  EXPECT_EQ(one.others(), 1U);
  EXPECT_EQ(other.others(), 0U);
}

}  // namespace
}  // namespace app
