#include "server/seats.h"

#include <gtest/gtest.h>

#include <optional>

namespace server {
namespace {

const Address kA = *Address::parse("192.0.2.1");
const Address kB = *Address::parse("192.0.2.2");

bool is_seat(const std::variant<Seats::Seat, Seats::Full>& result) {
  return std::holds_alternative<Seats::Seat>(result);
}

TEST(SeatsTest, AreLimitedInAll) {
  Seats seats{2, 9};
  const auto first = seats.take(kA);
  const auto second = seats.take(kB);
  EXPECT_TRUE(is_seat(first) && is_seat(second));
  EXPECT_EQ(std::get<Seats::Full>(seats.take(kA)), Seats::Full::kInAll);
}

TEST(SeatsTest, AreLimitedPerAddress) {
  Seats seats{9, 1};
  const auto first = seats.take(kA);
  EXPECT_EQ(std::get<Seats::Full>(seats.take(kA)), Seats::Full::kFromAddress);
  EXPECT_TRUE(is_seat(seats.take(kB)));
}

TEST(SeatsTest, AreLimitedPerNetworkOfAHost) {
  Seats seats{9, 1};
  const auto first = seats.take(*Address::parse("2001:db8::1"));
  EXPECT_EQ(std::get<Seats::Full>(seats.take(*Address::parse("2001:db8::2:3:4:5"))),
            Seats::Full::kFromAddress);
  EXPECT_TRUE(is_seat(seats.take(*Address::parse("2001:db8:0:1::1"))));
}

TEST(SeatsTest, MappedIpv4IsIpv4) {
  Seats seats{9, 1};
  const auto first = seats.take(*Address::parse("::ffff:192.0.2.1"));
  EXPECT_EQ(std::get<Seats::Full>(seats.take(kA)), Seats::Full::kFromAddress);
  EXPECT_TRUE(is_seat(seats.take(*Address::parse("::ffff:192.0.2.2"))));
}

TEST(SeatsTest, AreGivenBack) {
  Seats seats{1, 1};
  { const auto seat = seats.take(kA); }
  EXPECT_EQ(seats.taken(), 0);
  EXPECT_TRUE(is_seat(seats.take(kA)));
}

TEST(SeatsTest, AreGivenBackOnceWhenMoved) {
  Seats seats{2, 2};
  auto first = std::get<Seats::Seat>(seats.take(kA));
  {
    Seats::Seat second = std::move(first);
    EXPECT_EQ(seats.taken(), 1);
    first = {};
    EXPECT_EQ(seats.taken(), 1);
  }
  EXPECT_EQ(seats.taken(), 0);
}

}  // namespace
}  // namespace server
