#include "transcoder/time/media_clock.h"

#include <gtest/gtest.h>

#include <random>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kUnix = 1'790'000'000s;
constexpr base::Duration kFrame = 16ms;

/// The clocks of a machine, in virtual time.
struct Machine {
  MediaClock::Reading reading{base::Time{5000s}, 7000s, kUnix};
  double drift = 0;  ///< of the system clock against the monotonic clock

  void run(base::Duration time) {
    reading.monotonic += time;
    reading.boot += time;
    reading.unix += time + base::from_seconds(base::seconds(time) * drift);
  }
  void suspend(base::Duration time) {
    reading.boot += time;
    reading.unix += time;
  }
  void set(base::Duration step) { reading.unix += step; }
};

/// Updates once per second, and checks that media time never goes back and has no jump.
void run(MediaClock& clock, Machine& machine, base::Duration time) {
  for (const auto end = machine.reading.monotonic + time; machine.reading.monotonic < end;) {
    const auto before = clock.at(machine.reading.monotonic);
    machine.run(1s);
    clock.update(machine.reading);
    const auto passed = clock.at(machine.reading.monotonic) - before;
    ASSERT_GE(passed, 998ms);
    ASSERT_LE(passed, 1002ms);
  }
}

base::Duration date_error(const MediaClock& clock, const Machine& machine) {
  return std::chrono::abs(clock.at(machine.reading.monotonic) + clock.date_offset() -
                          machine.reading.unix);
}

TEST(MediaClockTest, BeginsAsUnixTime) {
  const Machine machine;
  const MediaClock clock{machine.reading};
  EXPECT_EQ(clock.at(machine.reading.monotonic), kUnix);
  EXPECT_EQ(clock.at(machine.reading.monotonic + 3s), kUnix + 3s);
  EXPECT_EQ(clock.monotonic(kUnix + 3s), machine.reading.monotonic + 3s);
  EXPECT_EQ(clock.date_offset(), 0s);
}

TEST(MediaClockTest, FollowsADriftingSystemClockWithinAFrameForDays) {
  for (const double drift : {-400e-6, -20e-6, 0.0, 1e-6, 400e-6}) {
    Machine machine;
    machine.drift = drift;
    MediaClock clock{machine.reading};
    for (int hour = 0; hour < 72; ++hour) {
      run(clock, machine, 1h);
      ASSERT_LT(date_error(clock, machine), kFrame) << drift;
    }
    EXPECT_EQ(clock.date_offset(), 0s);
  }
}

TEST(MediaClockTest, FollowsALeapSecondSlowly) {
  for (const auto leap : {-1s, 1s}) {
    Machine machine;
    MediaClock clock{machine.reading};
    run(clock, machine, 10s);
    machine.set(leap);
    run(clock, machine, 1h);
    EXPECT_LT(date_error(clock, machine), kFrame);
    EXPECT_EQ(clock.date_offset(), 0s);
  }
}

TEST(MediaClockTest, AStepMovesTheDatesAndNotTheMedia) {
  for (const base::Duration step : {-7200s, -3s, 3s, 7200s, 56 * 31'557'600s}) {
    Machine machine;
    MediaClock clock{machine.reading};
    run(clock, machine, 10s);
    machine.set(step);
    const auto before = clock.at(machine.reading.monotonic);
    EXPECT_EQ(clock.date_offset(machine.reading), step);
    EXPECT_EQ(clock.date_offset(), 0s);
    EXPECT_EQ(clock.update(machine.reading).set, step);
    EXPECT_EQ(clock.date_offset(machine.reading), step);
    EXPECT_EQ(clock.at(machine.reading.monotonic), before);
    EXPECT_EQ(date_error(clock, machine), 0s);
    run(clock, machine, 1h);
    EXPECT_EQ(clock.date_offset(), step);
    EXPECT_EQ(date_error(clock, machine), 0s);
  }
}

TEST(MediaClockTest, StandsStillWhileTheMachineIsSuspended) {
  Machine machine;
  MediaClock clock{machine.reading};
  run(clock, machine, 10s);
  machine.suspend(8h);
  machine.set(-1h);  // while it was waking up
  const auto before = clock.at(machine.reading.monotonic);
  const auto change = clock.update(machine.reading);
  EXPECT_EQ(change.suspended, 8h);
  EXPECT_EQ(change.set, -1h);
  EXPECT_EQ(clock.suspended(), 8h);
  EXPECT_EQ(clock.at(machine.reading.monotonic), before);
  EXPECT_EQ(date_error(clock, machine), 0s);
  run(clock, machine, 1h);
  EXPECT_EQ(date_error(clock, machine), 0s);
}

TEST(MediaClockTest, ReadingsThatAreNotOfOneMomentDoNotMoveIt) {
  Machine machine;
  MediaClock clock{machine.reading};
  std::mt19937 random{1};
  std::uniform_int_distribution<int> delay{0, 20};
  for (int second = 0; second < 3600; ++second) {
    machine.run(1s);
    auto reading = machine.reading;
    reading.boot += std::chrono::milliseconds{delay(random)};
    reading.unix += std::chrono::milliseconds{delay(random)};
    clock.update(reading);
    ASSERT_LT(date_error(clock, machine), 2 * kFrame);
    ASSERT_EQ(clock.date_offset(machine.reading), 0s);
  }
}

TEST(MediaClockTest, ReadsTheClocksOfThisMachine) {
  const auto reading = MediaClock::Reading::now();
  EXPECT_LE(reading.monotonic, base::Clock::now());
  EXPECT_GT(reading.unix, 1'700'000'000s);
  EXPECT_GT(reading.boot + 100ms, reading.monotonic.time_since_epoch());
}

TEST(StreamClockTest, BeginsAtAMultipleOfTheKeyframeInterval) {
  const MediaClock clock;
  const StreamClock stream{clock, 2s, base::Clock::now()};
  EXPECT_EQ(stream.origin() % 2s, 0s);
  const auto pts = stream.at(base::Clock::now());
  EXPECT_GE(pts, 0s);
  EXPECT_LT(pts, 1h);
  EXPECT_EQ(stream.at(stream.monotonic(pts)), pts);
}

}  // namespace
}  // namespace transcoder
