#include "transcoder/time/live_pacer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "transcoder/time/dejitter.h"

namespace transcoder {
namespace {

using namespace std::chrono_literals;

constexpr base::Time kStart{1000s};
constexpr base::Duration kClock = 77s;  // of the source at kStart

/// Plays pictures into a LivePacer, one after another, as GstSource does.
class Player {
 public:
  /// The picture due at `source` after the start arrives at `arrival`. Returns its release time.
  base::Time play(base::Duration source, base::Time arrival) {
    if (arrival - last_arrival_ >= LivePacer::kMaxPause) even_since_ = arrival;
    last_arrival_ = arrival;
    const auto read = std::max(arrival, free_);
    const auto due = std::max(read, pacer_.picture(kClock + source, read, even_since_));
    free_ = due;
    return due;
  }
  const LivePacer& pacer() const { return pacer_; }

 private:
  LivePacer pacer_;
  base::Time last_arrival_ = kStart;
  base::Time even_since_ = kStart;
  base::Time free_ = kStart;  ///< when the picture before was released
};

struct Bursts {
  base::Duration period;
  double rate;
  double jitter;  ///< of the time between bursts, either way, as a part of it
};

std::ostream& operator<<(std::ostream& out, const Bursts& b) {
  return out << base::seconds(b.period) << " s, " << b.rate << "/s, jitter " << b.jitter;
}

class LivePacerBurstsTest : public testing::TestWithParam<Bursts> {};

TEST_P(LivePacerBurstsTest, AreSpacedFromTheSecondOneOn) {
  const auto [period, rate, jitter] = GetParam();
  const auto interval = base::from_seconds(1 / rate);
  std::mt19937 random{1};
  std::uniform_real_distribution<double> dice{-jitter, jitter};
  Player player;
  base::Duration sent{};
  base::Time last{};
  int uneven = 0;
  int spaced = 0;
  for (int burst = 1; burst <= 40; ++burst) {
    const auto arrival =
        kStart + burst * period + base::from_seconds(base::seconds(period) * dice(random));
    // All pictures that were due before it.
    for (; kStart + sent < arrival; sent += interval) {
      const auto due = player.play(sent, arrival);
      if (burst > 3) {
        uneven += due - last < interval / 2 || due - last > 2 * interval;
        ++spaced;
      }
      last = due;
    }
  }
  const auto longest = base::from_seconds(base::seconds(period) * (1 + 2 * jitter)) + interval;
  const auto shortest = base::from_seconds(base::seconds(period) * (1 - 2 * jitter));
  EXPECT_GT(player.pacer().wait(), shortest - 2 * interval);
  EXPECT_LE(player.pacer().wait(), longest);
  // With jitter the wait grows with the longest time between bursts so far.
  EXPECT_LE(uneven, jitter > 0 ? spaced / 20 : 0) << spaced;
}

INSTANTIATE_TEST_SUITE_P(Family, LivePacerBurstsTest,
                         testing::Values(Bursts{1s, 25, 0}, Bursts{1500ms, 60, 0},
                                         Bursts{2s, 10, 0}, Bursts{2s, 50, 0}, Bursts{3s, 30, 0},
                                         Bursts{4s, 25, 0}, Bursts{6s, 15, 0}, Bursts{1s, 30, 0.1},
                                         Bursts{2s, 25, 0.2}, Bursts{4s, 50, 0.2}));

/// Plays `count` pictures at 25 per second that arrive at the right time, from `first` on.
void play_evenly(Player& player, int first, int count) {
  for (int i = first; i < first + count; ++i) {
    const auto arrival = kStart + i * 40ms;
    EXPECT_EQ(player.play(i * 40ms, arrival), arrival);
  }
}

TEST(LivePacerTest, AnEvenSourceWaitsForNothing) {
  Player player;
  play_evenly(player, 0, 1000);
  EXPECT_EQ(player.pacer().wait(), 0s);
}

TEST(LivePacerTest, ASlowSourceWaitsForNothing) {
  Player player;
  for (int i = 0; i < 100; ++i) {
    const auto arrival = kStart + i * 2s + (i % 3) * 100ms;
    EXPECT_EQ(player.play(i * 2s, arrival), arrival);
  }
}

TEST(LivePacerTest, TheFirstKeyframeMayHaveKeptDataWaiting) {
  Player player;
  for (int i = -50; i < 0; ++i) EXPECT_EQ(player.play(i * 40ms, kStart), kStart);
  play_evenly(player, 0, 1000);
}

TEST(LivePacerTest, TheSourceIsLiveAfterAPause) {
  for (const auto pause : {1s, 2s, 4s, 6s}) {
    Player player;
    int next = 0;
    for (int round = 0; round < 3; ++round) {
      play_evenly(player, next, 50);
      next += 50;
      const auto end = kStart + next * 40ms + pause;
      for (; kStart + next * 40ms < end; ++next) EXPECT_EQ(player.play(next * 40ms, end), end);
      play_evenly(player, next, 25 * 25);  // longer than bursts are remembered
      next += 25 * 25;
    }
  }
}

TEST(LivePacerTest, AClockThatIsSetIsNoBurst) {
  for (const auto step : {2s, -2s, 8s, -8s, 3600s, -3600s}) {
    Player player;
    base::Duration offset{};
    for (int i = 0; i < 2000; ++i) {
      if (i % 250 == 249) offset += step;
      const auto arrival = kStart + i * 40ms;
      EXPECT_EQ(player.play(i * 40ms + offset, arrival), arrival);
    }
  }
}

TEST(LivePacerTest, IsLiveAgainWhenTheBurstsAreOver) {
  Player player;
  int next = 0;
  for (int burst = 1; burst <= 10; ++burst) {
    for (; next < burst * 50; ++next) player.play(next * 40ms, kStart + burst * 2s);
  }
  EXPECT_GT(player.pacer().wait(), 1900ms);
  const int even = next;
  for (; next < even + 26 * 25; ++next) player.play(next * 40ms, kStart + next * 40ms);
  EXPECT_EQ(player.pacer().wait(), 0s);
  play_evenly(player, next, 500);
}

TEST(LivePacerTest, SomeJitterThatDejitterEvensOutLeavesThePaceAlone) {
  Player player;
  for (int i = 0; i < 2000; ++i) {
    const auto arrival = kStart + (i / 10 + 1) * 400ms;
    EXPECT_EQ(player.play(i * 40ms, arrival), arrival);
  }
}

TEST(LivePacerTest, AudioFollowsThePictures) {
  LivePacer pacer;
  base::Time due{};
  for (int burst = 1; burst <= 5; ++burst) {
    const auto arrival = kStart + burst * 2s;
    for (int i = (burst - 1) * 50; i < burst * 50; ++i) {
      due = pacer.picture(kClock + i * 40ms, std::max(arrival, due), arrival);
      const auto audio = pacer.audio(kClock + i * 40ms, arrival);
      EXPECT_EQ(audio, burst > 1 ? due : arrival);
    }
  }
}

TEST(LivePacerTest, AudioIsReleasedAtOnceWhilePicturesAre) {
  LivePacer pacer;
  pacer.picture(kClock, kStart, kStart);
  EXPECT_EQ(pacer.audio(kClock + 3s, kStart + 5ms), kStart + 5ms);
}

}  // namespace
}  // namespace transcoder
