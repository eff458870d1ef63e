#include "server/places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace server {
namespace {

using namespace std::chrono_literals;

Address address(const std::string& text) { return *Address::parse(text); }
const Address kA = address("192.0.2.1");
const Address kB = address("192.0.2.2");
const Address kC = address("192.0.2.3");
constexpr base::ByteCount kMuch{1'000'000};

/// Places for viewers, in virtual time. 8000 bit/s keep a place.
class PlacesTest : public testing::Test {
 protected:
  static Places::Settings settings(int in_all, int per_address) {
    return {.in_all = in_all,
            .per_address = per_address,
            .rate = base::BitRate::kbps(8),
            .proxies = {*Network::parse("10.0.0.1")}};
  }

  /// A place for a newcomer, or nullopt.
  std::optional<Places::Place> take(Places& places, const Address& from) {
    auto result = places.take(from, now_);
    if (auto* full = std::get_if<Places::Full>(&result)) {
      full_ = *full;
      return std::nullopt;
    }
    return std::get<Places::Place>(std::move(result));
  }
  /// Viewers who have just come.
  std::vector<Places::Place> fill(Places& places, const Address& from, int count) {
    std::vector<Places::Place> result;
    for (int i = 0; i < count; ++i) result.push_back(take(places, from).value());
    return result;
  }
  std::vector<Places::Place> fill_earned(Places& places, const Address& from, int count) {
    auto result = fill(places, from, count);
    for (auto& place : result) place.took(kMuch, now_);
    return result;
  }
  static int lost(const std::vector<Places::Place>& places) {
    return static_cast<int>(
        std::ranges::count_if(places, [](const auto& place) { return place.lost(); }));
  }

  base::Time now_{1h};
  std::optional<Places::Full> full_;
};

TEST_F(PlacesTest, AreLimitedInAll) {
  Places places{settings(2, 9)};
  const auto earned = fill_earned(places, kA, 2);
  EXPECT_FALSE(take(places, kB));
  EXPECT_EQ(full_, Places::Full::kInAll);
  EXPECT_EQ(places.taken(), 2);
}

TEST_F(PlacesTest, AreLimitedPerAddress) {
  Places places{settings(9, 1)};
  const auto earned = fill_earned(places, kA, 1);
  EXPECT_FALSE(take(places, kA));
  EXPECT_EQ(full_, Places::Full::kFromAddress);
  EXPECT_TRUE(take(places, kB));
}

TEST_F(PlacesTest, ProxiesAreLimitedInAllOnly) {
  Places places{settings(4, 1)};
  const auto earned = fill_earned(places, address("10.0.0.1"), 4);
  EXPECT_FALSE(take(places, address("10.0.0.1")));
  EXPECT_EQ(full_, Places::Full::kInAll);
}

TEST_F(PlacesTest, AreFreedOnceWhenDestroyed) {
  Places places{settings(2, 2)};
  {
    auto first = take(places, kA).value();
    Places::Place second = std::move(first);
    EXPECT_EQ(places.taken(), 1);
    first = {};
    EXPECT_EQ(places.taken(), 1);
  }
  EXPECT_EQ(places.taken(), 0);
  EXPECT_EQ(fill(places, kA, 2).size(), 2U);
}

TEST_F(PlacesTest, ANewcomerIsSafeInTheirFirstTime) {
  Places places{settings(1, 9)};
  const auto first = fill(places, kA, 1);
  now_ += Places::kFirstTime - 1ms;
  EXPECT_FALSE(take(places, kB));
  EXPECT_EQ(lost(first), 0);
}

TEST_F(PlacesTest, WhoTookNothingMakesRoomAfterIt) {
  Places places{settings(1, 9)};
  const auto first = fill(places, kA, 1);
  now_ += Places::kFirstTime;
  const auto second = take(places, kB);
  EXPECT_TRUE(second);
  EXPECT_EQ(lost(first), 1);
  EXPECT_FALSE(second->lost());
  EXPECT_EQ(places.taken(), 1);
}

TEST_F(PlacesTest, ALostPlaceIsNotFreedAgain) {
  Places places{settings(1, 9)};
  auto first = take(places, kA);
  now_ += Places::kFirstTime;
  const auto second = take(places, kB);
  first.reset();
  EXPECT_EQ(places.taken(), 1);
}

TEST_F(PlacesTest, WhoTakesMediaStays) {
  Places places{settings(1, 9)};
  auto viewer = take(places, kA).value();
  for (int i = 0; i < 100; ++i) {
    viewer.took(base::ByteCount{2000}, now_ += 1s);
    EXPECT_FALSE(take(places, kB)) << i;
  }
  now_ += Places::kEarnedFor - 1ms;
  EXPECT_FALSE(take(places, kB));
  now_ += 200ms;
  EXPECT_TRUE(take(places, kB));
  EXPECT_TRUE(viewer.lost());
}

TEST_F(PlacesTest, WhoTakesTooLittleIsSafePartOfTheTime) {
  Places places{settings(1, 9)};
  auto viewer = take(places, kA).value();
  now_ += Places::kFirstTime;
  viewer.took(base::ByteCount{500}, now_);  // 0.5 s at 8000 bit/s
  EXPECT_FALSE(take(places, kB));
  now_ += 400ms;
  EXPECT_FALSE(take(places, kB));
  now_ += 100ms;
  EXPECT_TRUE(take(places, kB));
}

TEST_F(PlacesTest, AnotherTimeMayBeSet) {
  Places places{settings(1, 9)};
  auto viewer = std::get<Places::Place>(places.take(kA, now_, 30s));
  viewer.took(kMuch, now_);
  now_ += 29s;
  EXPECT_FALSE(take(places, kB));
  now_ += 1s;
  EXPECT_TRUE(take(places, kB));
}

TEST_F(PlacesTest, WithoutARateAnyMediaKeepAPlace) {
  Places places{{.in_all = 1, .per_address = 9, .rate = {}, .proxies = {}}};
  auto viewer = take(places, kA).value();
  viewer.took(base::ByteCount{1}, now_);
  now_ += Places::kEarnedFor - 1ms;
  EXPECT_FALSE(take(places, kB));
}

TEST_F(PlacesTest, WhoTookLeastGoesFirst) {
  Places places{settings(2, 9)};
  auto some = take(places, kA).value();
  auto less = take(places, kA).value();
  some.took(base::ByteCount{200}, now_);
  less.took(base::ByteCount{100}, now_);
  now_ += Places::kFirstTime;
  EXPECT_TRUE(take(places, kB));
  EXPECT_TRUE(less.lost());
  EXPECT_FALSE(some.lost());
}

TEST_F(PlacesTest, OfThoseWhoTookNothingTheAddressWithMostGoesFirst) {
  Places places{settings(4, 9)};
  const auto honest = fill(places, kA, 1);
  const auto claims = fill(places, kB, 3);
  now_ += Places::kFirstTime;
  const auto newcomers = fill(places, kC, 1);
  EXPECT_EQ(lost(claims), 1);
  EXPECT_EQ(lost(honest), 0);
}

TEST_F(PlacesTest, AnAddressMakesRoomForItsOwnNewcomers) {
  Places places{settings(9, 2)};
  const auto earned = fill_earned(places, kA, 1);
  const auto claim = fill(places, kA, 1);
  const auto other = fill(places, kB, 1);
  EXPECT_FALSE(take(places, kA));
  now_ += Places::kFirstTime;
  const auto newcomers = fill(places, kA, 1);
  EXPECT_EQ(lost(claim), 1);
  EXPECT_EQ(lost(earned) + lost(other), 0);
}

TEST_F(PlacesTest, ClaimsOfFewAddressesCannotFillAServer) {
  Places places{settings(60, 60)};
  const auto first = fill(places, kA, 30);
  const auto second = fill(places, kB, 30);
  const auto honest = fill(places, kC, 19);
  EXPECT_EQ(lost(first) + lost(second), 19);
  EXPECT_EQ(lost(honest), 0);
}

TEST_F(PlacesTest, AnAddressOfManyClaimsGetsNoMore) {
  Places places{settings(10, 10)};
  const auto claims = fill(places, kA, 9);
  const auto honest = fill(places, kB, 1);
  EXPECT_FALSE(take(places, kA));
  EXPECT_EQ(lost(honest), 0);
}

TEST_F(PlacesTest, EqualNewcomersTakeNothingFromEachOther) {
  Places places{settings(2, 9)};
  const auto first = fill(places, kA, 1);
  const auto second = fill(places, kB, 1);
  EXPECT_FALSE(take(places, kC));
}

TEST_F(PlacesTest, ASiteIsOneClient) {
  Places places{settings(8, 4)};
  std::vector<Places::Place> claims;
  for (int i = 0; i < 4; ++i) {
    claims.push_back(take(places, address("2001:db8:0:" + std::to_string(i) + "00::1")).value());
  }
  EXPECT_FALSE(take(places, address("2001:db8:0:900::1")));
  EXPECT_EQ(full_, Places::Full::kFromAddress);
  const auto others = fill(places, kB, 4);
  const auto honest = fill(places, kC, 1);
  EXPECT_EQ(lost(claims) + lost(others), 1);
}

TEST_F(PlacesTest, RefusalsAndEvictionsAreCounted) {
  Places places{settings(2, 1)};
  const auto earned = fill_earned(places, kA, 1);
  EXPECT_FALSE(take(places, kA));
  const auto claim = fill(places, kB, 1);
  EXPECT_FALSE(take(places, kC));
  now_ += Places::kFirstTime;
  const auto newcomer = fill(places, kC, 1);
  const auto state = places.state();
  const auto in_all = static_cast<std::size_t>(Places::Full::kInAll);
  const auto from_address = static_cast<std::size_t>(Places::Full::kFromAddress);
  EXPECT_EQ(state.refused[in_all].times, 1U);
  EXPECT_EQ(state.refused[in_all].last, kC);
  EXPECT_EQ(state.refused[from_address].times, 1U);
  EXPECT_EQ(state.refused[from_address].last, kA);
  EXPECT_EQ(state.evicted[in_all].times, 1U);
  EXPECT_EQ(state.evicted[in_all].last, kB);
  EXPECT_EQ(state.evicted[from_address].times, 0U);
}

}  // namespace
}  // namespace server
