#include "transcoder/time/frame_rate_limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace transcoder {
namespace {

using namespace std::chrono_literals;
using Times = std::vector<media::Pts>;

/// `count` pictures at `rate`, from `begin`, with timestamps off by up to `wobble` either way.
Times pictures(double rate, int count, media::Pts begin = {}, media::Pts wobble = {}) {
  std::mt19937 random{1};
  std::uniform_int_distribution<media::Pts::rep> off{-wobble.count(), wobble.count()};
  Times result;
  for (int i = 0; i < count; ++i)
    result.push_back(begin + base::from_seconds(i / rate) + media::Pts{off(random)});
  return result;
}

Times kept(FrameRateLimit& limit, const Times& all) {
  Times result;
  std::ranges::copy_if(all, std::back_inserter(result), [&](auto pts) { return limit.admit(pts); });
  return result;
}

Times kept(double limit, const Times& all) {
  FrameRateLimit frames{limit};
  return kept(frames, all);
}

/// The intervals from the time on at which the rate has been measured.
Times intervals(const Times& pts, media::Pts from = 2s) {
  Times result;
  for (std::size_t i = 1; i < pts.size(); ++i)
    if (pts[i - 1] >= from) result.push_back(pts[i] - pts[i - 1]);
  return result;
}

struct Rates {
  double limit;
  double source;
  double kept;
};

class EvenRhythm : public testing::TestWithParam<Rates> {};

TEST_P(EvenRhythm, KeepsOneOfEachFewPictures) {
  const auto [limit, source, expected] = GetParam();
  const int count = static_cast<int>(20 * source);
  for (const auto pts : intervals(kept(limit, pictures(source, count))))
    ASSERT_NEAR(base::seconds(pts), 1 / expected, 1e-6);
}

TEST_P(EvenRhythm, IsTheSameWithRoundedTimestamps) {
  const auto [limit, source, expected] = GetParam();
  auto all = pictures(source, static_cast<int>(20 * source));
  for (auto& pts : all) pts = (pts + 500us) / 1ms * 1ms;  // Matroska, FLV
  for (const auto pts : intervals(kept(limit, all)))
    ASSERT_NEAR(base::seconds(pts), 1 / expected, 0.0011);
}

TEST_P(EvenRhythm, IsTheSameWithAWobbleOfAThirdOfAnInterval) {
  const auto [limit, source, expected] = GetParam();
  const auto wobble = base::from_seconds(std::min(1 / source / 3, 0.012));
  const int count = static_cast<int>(20 * source);
  for (const auto pts : intervals(kept(limit, pictures(source, count, 0s, wobble))))
    ASSERT_NEAR(base::seconds(pts), 1 / expected, 2 * base::seconds(wobble) + 1e-6);
}

TEST_P(EvenRhythm, ReturnsWithinASecondAfterAGap) {
  const auto [limit, source, expected] = GetParam();
  auto all = pictures(source, static_cast<int>(5 * source));
  std::ranges::copy(pictures(source, static_cast<int>(5 * source), 12s), std::back_inserter(all));
  for (const auto pts : intervals(kept(limit, all), 13s))
    ASSERT_NEAR(base::seconds(pts), 1 / expected, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    Rates, EvenRhythm,
    testing::Values(Rates{30, 10, 10}, Rates{30, 23.976, 23.976}, Rates{30, 24, 24},
                    Rates{30, 25, 25}, Rates{30, 29.97, 29.97}, Rates{30, 30, 30},
                    Rates{30, 48, 24}, Rates{30, 50, 25}, Rates{30, 59.94, 29.97},
                    Rates{30, 60, 30}, Rates{30, 72, 24}, Rates{30, 75, 25}, Rates{30, 90, 30},
                    Rates{30, 100, 25}, Rates{30, 119.88, 29.97}, Rates{30, 120, 30},
                    Rates{25, 25, 25}, Rates{25, 50, 25}, Rates{29.97, 59.94, 29.97},
                    Rates{29.97, 60, 30}, Rates{29.97, 30, 30}, Rates{50, 100, 50},
                    Rates{50, 50, 50}, Rates{60, 60, 60}, Rates{60, 120, 60}, Rates{15, 30, 15},
                    Rates{10, 50, 10}),
    [](const auto& test) {
      const auto name = [](double rate) { return std::to_string(std::lround(rate * 1000)); };
      return name(test.param.source) + "Under" + name(test.param.limit);
    });

TEST(FrameRateLimitTest, LeavesNoGapWhenTheRateBecomesKnown) {
  for (const double source : {30., 50., 60., 90., 100., 120.}) {
    for (const auto pts : intervals(kept(30, pictures(source, 200)), 0s))
      EXPECT_LT(base::seconds(pts), 0.0401) << source;
  }
}

TEST(FrameRateLimitTest, StatesTheRateThatItKeeps) {
  FrameRateLimit limit{30};
  EXPECT_EQ(limit.rate(), 0);
  kept(limit, pictures(50, 100));
  EXPECT_NEAR(limit.rate(), 25, 1e-6);
  kept(limit, pictures(23.976, 100, 3s));
  EXPECT_NEAR(limit.rate(), 23.976, 1e-6);
  limit.restart();
  EXPECT_EQ(limit.rate(), 0);
}

TEST(FrameRateLimitTest, UsesTheLimitWhereAnEvenRhythmWouldWasteIt) {
  for (const auto& [limit, source] : {std::pair{25., 30.}, {50., 60.}, {30., 35.}, {40., 50.}}) {
    const auto pts = kept(limit, pictures(source, static_cast<int>(20 * source)));
    EXPECT_NEAR(static_cast<double>(pts.size()) / 20, limit, limit / 50);
    for (const auto interval : intervals(pts)) EXPECT_LT(base::seconds(interval), 2.1 / source);
  }
}

TEST(FrameRateLimitTest, NoRateExceedsTheLimitByMoreThanTheTolerance) {
  for (double limit = 5; limit <= 120; limit += 5) {
    for (double source = 10; source <= 120; source += 1.7) {
      const auto pts = kept(limit, pictures(source, static_cast<int>(10 * source)));
      EXPECT_LT(static_cast<double>(pts.size()), 10 * limit * 1.07 + 2)
          << source << " under " << limit;
      EXPECT_GT(static_cast<double>(pts.size()) / 10, std::min(source, limit) * 0.6)
          << source << " under " << limit;
    }
  }
}

TEST(FrameRateLimitTest, LosesNoPictureOfASourceAtTheLimitThatWobblesFromTheBeginning) {
  const auto all = pictures(30, 3000, 0s, 12ms);
  EXPECT_EQ(kept(30, all), all);
}

TEST(FrameRateLimitTest, LosesNoPictureWhenSomeAreMissing) {
  std::mt19937 random{2};
  auto all = pictures(30, 3000);
  std::erase_if(all, [&](auto) { return random() % 10 == 0; });
  EXPECT_EQ(kept(30, all), all);
}

TEST(FrameRateLimitTest, FollowsANewRateWithinASecond) {
  for (const auto& [before, after, expected] :
       {Rates{25, 50, 25}, {50, 25, 25}, {60, 24, 24}, {10, 60, 30}, {60, 10, 10}, {30, 120, 30}}) {
    auto all = pictures(before, static_cast<int>(5 * before));
    std::ranges::copy(pictures(after, static_cast<int>(5 * after), 5s), std::back_inserter(all));
    for (const auto pts : intervals(kept(30, all), 7s))
      ASSERT_NEAR(base::seconds(pts), 1 / expected, 1e-6) << before << " to " << after;
  }
}

TEST(FrameRateLimitTest, KeepsVariableRateBelowTheLimit) {
  FrameRateLimit frames{30};
  for (const auto pts : {0ms, 100ms, 140ms, 1000ms, 1034ms, 1500ms}) EXPECT_TRUE(frames.admit(pts));
}

TEST(FrameRateLimitTest, KeepsPulldown) {
  Times all;
  for (media::Pts pts{}; all.size() < 500; pts += all.size() % 2 == 0 ? 33'367us : 50'050us)
    all.push_back(pts);
  EXPECT_EQ(kept(30, all), all);
}

TEST(FrameRateLimitTest, DropsTheBurstAfterAPause) {
  FrameRateLimit frames{30};
  EXPECT_TRUE(frames.admit(0ms));
  EXPECT_TRUE(frames.admit(900ms));
  EXPECT_FALSE(frames.admit(902ms));
  EXPECT_FALSE(frames.admit(904ms));
  EXPECT_TRUE(frames.admit(933ms));
}

TEST(FrameRateLimitTest, DropsTheBurstAfterAClockJump) {
  FrameRateLimit frames{30};
  kept(frames, pictures(25, 100));
  frames.restart();
  EXPECT_TRUE(frames.admit(10s));
  EXPECT_EQ(kept(frames, pictures(1000, 30, 10s + 1ms)).size(), 1u);
  EXPECT_EQ(kept(frames, pictures(25, 100, 10s + 70ms)).size(), 100u);
}

}  // namespace
}  // namespace transcoder
