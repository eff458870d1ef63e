#include "abr/control/sample_interval.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

class SampleIntervalTest : public testing::Test {
 protected:
  static constexpr base::Duration kFrame = 33ms;

  /// Samples at the frames at which one is due, for `time`. Returns how many.
  int watch(base::Duration time) {
    int samples = 0;
    for (const auto end = now_ + time; now_ < end; now_ += kFrame) {
      if (now_ < interval_.next() && !observation_.discardable) continue;
      interval_.update(observation_, path_, rate_, steered_, now_);
      ++samples;
    }
    return samples;
  }
  /// Expects that the change that the last lines made ends the calm.
  void expect_each_frame(const char* change) {
    watch(1s);
    EXPECT_GE(watch(kFrame * 9), 9) << change;
  }

  SampleInterval interval_;
  Observation observation_{.srtt = 40ms,
                           .min_rtt = 40ms,
                           .mss = 1448,
                           .served = BitRate::mbps(4),
                           .frame_interval = kFrame};
  PathState path_{.capacity = BitRate::mbps(10), .frame_size = base::ByteCount{16'000}};
  BitRate rate_ = BitRate::mbps(4);
  bool steered_ = false;
  base::Time now_{1h};
};

TEST_F(SampleIntervalTest, ACalmViewerIsSampledEverMoreSeldomButTwicePerSecond) {
  watch(100ms);
  const int first = watch(1s);
  const int second = watch(1s);
  EXPECT_LT(second, first);
  watch(2s);
  const int later = watch(10s);
  EXPECT_GE(later, 19);
  EXPECT_LE(later, 20);
}

TEST_F(SampleIntervalTest, WhileTheKernelWatchesTheRttOneSampleIn2SecondsIsEnough) {
  observation_.rtt_watched = true;
  watch(10s);
  EXPECT_NEAR(watch(20s), 10, 1);
  observation_.rtt_watched = false;
  watch(2s);
  EXPECT_NEAR(watch(20s), 40, 2);
}

TEST_F(SampleIntervalTest, ASteeredViewerIsSampledAtEveryFrame) {
  steered_ = true;
  EXPECT_EQ(watch(kFrame * 300), 300);
}

/// A late loop sends several frames in a moment, and takes the time only before the first.
TEST_F(SampleIntervalTest, EachFrameOfABurstIsDueForASteeredViewer) {
  steered_ = true;
  watch(1s);
  EXPECT_LT(interval_.next(), now_ - 100ms);
}

TEST_F(SampleIntervalTest, TroubleOfEveryKindEndsTheCalm) {
  const auto calm_observation = observation_;
  const auto calm_path = path_;
  const auto expect_for = [&](const char* change) {
    expect_each_frame(change);
    observation_ = calm_observation;
    path_ = calm_path;
    watch(10s);
    ASSERT_LE(watch(kFrame * 9), 2) << "calm again after: " << change;
  };
  path_.queueing_delay = 60ms;
  expect_for("a queue in the path");
  path_.drain_rate = BitRate::mbps(1);
  expect_for("data is overdue");
  path_.cwnd_rate = BitRate::mbps(1);
  expect_for("TCP's window is the limit");
  path_.capacity = BitRate::mbps(7);
  expect_for("a path with little room");
  path_.capacity = {};
  path_.transit = 20ms;
  expect_for("frames that take long");
  path_.cross_traffic = true;
  expect_for("cross traffic");
  path_.reader_rate = BitRate::mbps(1);
  expect_for("a slow reader");
  observation_.receiver_limited = true;
  expect_for("the receive window is the limit");
  observation_.recovering = true;
  expect_for("a loss");
  observation_.discardable = true;
  expect_for("an unsent frame");
}

TEST_F(SampleIntervalTest, AnEventEndsTheCalmAtOnce) {
  watch(10s);
  observation_.dupack = 1;
  interval_.update(observation_, path_, rate_, false, now_);
  observation_.dupack = 0;
  EXPECT_LE(interval_.next(), now_ + 1ms);
}

TEST_F(SampleIntervalTest, ALongerRttEndsTheCalmAtOnce) {
  watch(10s);
  EXPECT_EQ(interval_.rtt_limit(), 50ms);
  observation_.srtt = 50ms;
  interval_.update(observation_, path_, rate_, false, now_);
  EXPECT_GT(interval_.next(), now_ + 100ms) << "jitter";
  EXPECT_EQ(interval_.rtt_limit(), 60ms);
  observation_.srtt = 61ms;
  interval_.update(observation_, path_, rate_, false, now_);
  EXPECT_LE(interval_.next(), now_);
}

TEST_F(SampleIntervalTest, TheNoiseOfPacketTrainsIsCalm) {
  for (int i = 0; i < 300; ++i) {
    rate_ = BitRate::mbps(i % 2 == 0 ? 3.7 : 4.3);
    watch(kFrame);
  }
  EXPECT_LE(watch(kFrame * 30), 3);
}

TEST_F(SampleIntervalTest, ANearViewerWithoutPacketTrainsMayBeCalm) {
  path_ = {.transit = 1ms};
  watch(10s);
  EXPECT_GE(watch(kFrame * 30), 30) << "no frame has been acknowledged yet";
  path_.frame_size = base::ByteCount{1400};
  watch(10s);
  EXPECT_LE(watch(kFrame * 30), 3);
}

TEST_F(SampleIntervalTest, AnotherRateEndsTheCalm) {
  watch(10s);
  rate_ = BitRate::mbps(3);
  watch(500ms);
  EXPECT_GE(watch(500ms), 5);
}

}  // namespace
}  // namespace abr
