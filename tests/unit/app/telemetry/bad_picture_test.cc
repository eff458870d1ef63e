#include "app/telemetry/bad_picture.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

class BadPictureTest : public testing::Test {
 protected:
  BadPictureTest() {
    viewer_.target = BitRate::mbps(4);
    viewer_.behind_live = 50ms;
    viewer_.min_rtt = 20ms;
  }

  /// Four updates per second for `time`, or until a report is due.
  std::optional<BadPicture::Report> watch(base::Duration time) {
    for (const auto until = now_ + time; now_ < until;) {
      if (auto report = bad_.update(viewer_, interval_, now_ += 250ms)) return report;
    }
    return {};
  }

  ViewerTelemetry viewer_;
  BadPicture bad_{500ms};
  base::Duration interval_ = 40ms;
  base::Time now_{1h};
};

TEST_F(BadPictureTest, AGoodPictureIsNotReported) {
  EXPECT_FALSE(watch(1min));
  viewer_.target = BitRate::mbps(2.5);
  EXPECT_FALSE(watch(10s));
  EXPECT_FALSE(bad_.end());
}

TEST_F(BadPictureTest, AFallOfTheRateIsReportedOnceItIsOver) {
  watch(5s);
  const auto fell = now_;
  viewer_.target = BitRate::mbps(1);
  viewer_.fall = abr::Reason::kRexmt;
  EXPECT_FALSE(watch(4s));
  viewer_.target = BitRate::kbps(300);
  viewer_.fall = abr::Reason::kBacklog;
  viewer_.frames_dropped = 40;
  viewer_.behind_live = 900ms;
  EXPECT_FALSE(watch(4s));
  viewer_.target = BitRate::mbps(4);
  viewer_.reason = abr::Reason::kStep;
  viewer_.behind_live = 50ms;
  const auto report = watch(4s);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->from - fell, 250ms);
  EXPECT_EQ(report->to - report->from, 8s - 250ms);
  EXPECT_NEAR(static_cast<double>(report->before.bps()), 4e6, 1e5);
  EXPECT_EQ(report->lowest, BitRate::kbps(300));
  EXPECT_EQ(report->cause, abr::Reason::kBacklog);
  EXPECT_EQ(report->frames_lost, 40u);
  EXPECT_EQ(report->behind, 900ms);
  EXPECT_FALSE(watch(1min)) << "once";
}

TEST_F(BadPictureTest, AHiccupIsNotReported) {
  watch(5s);
  viewer_.frames_dropped = 3;
  EXPECT_FALSE(watch(10s));
}

TEST_F(BadPictureTest, ALowRateIsUsualAfterAWhile) {
  watch(5s);
  viewer_.target = BitRate::kbps(400);
  for (int minute = 0; minute < 3; ++minute) EXPECT_TRUE(watch(61s)) << minute;
  EXPECT_FALSE(watch(10min));
}

TEST_F(BadPictureTest, ReportsWhatGoesOnWhenTheViewerLeaves) {
  watch(5s);
  viewer_.behind_live = 2s;
  watch(2s);
  EXPECT_TRUE(bad_.end());
  EXPECT_FALSE(bad_.end());
}

TEST_F(BadPictureTest, ASlideShowIsNotLate) {
  interval_ = 2s;
  viewer_.behind_live = 2100ms;
  EXPECT_FALSE(watch(1min));
}

TEST_F(BadPictureTest, DoesNotJudgeTheLatenessOfAPlayerThatBuffers) {
  BadPicture segments{std::nullopt};
  viewer_.behind_live = 20s;
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(segments.update(viewer_, interval_, now_ += 250ms));
  EXPECT_FALSE(segments.end());
}

}  // namespace
}  // namespace app
