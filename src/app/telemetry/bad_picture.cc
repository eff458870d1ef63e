#include "app/telemetry/bad_picture.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {

namespace {

// A viewer notices half of the rate. A larger share reports every step, a smaller one hides falls.
constexpr double kBadShare = 0.5;
// The rate that a viewer had counts half after this time: they have become used to the new one.
constexpr base::Duration kHalfLife = std::chrono::minutes{1};
// Shorter times are hiccups that nobody asks about.
constexpr base::Duration kMinLength = std::chrono::seconds{1};

}  // namespace

std::optional<BadPicture::Report> BadPicture::update(const ViewerTelemetry& viewer,
                                                     base::Duration interval, base::Time now) {
  const auto passed = updated_ == base::Time{} ? base::Duration{} : now - updated_;
  updated_ = now;
  usual_ = std::max(viewer.target,
                    std::exp2(-base::seconds(passed) / base::seconds(kHalfLife)) * usual_);
  const bool bad = is_bad(viewer, interval);
  if (bad) note(viewer, now);
  frames_lost_ = viewer.frames_dropped;
  if (!report_) return {};
  const bool over = now - report_->to >= kCalm || now - report_->from >= kMaxLength;
  return over ? finish() : std::nullopt;
}

bool BadPicture::is_late(const ViewerTelemetry& viewer, base::Duration interval) const {
  return tolerated_ && viewer.behind_live > *tolerated_ + viewer.min_rtt + 2 * interval;
}

bool BadPicture::is_bad(const ViewerTelemetry& viewer, base::Duration interval) const {
  return is_late(viewer, interval) || viewer.frames_dropped > frames_lost_ ||
         viewer.target < kBadShare * usual_;
}

void BadPicture::note(const ViewerTelemetry& viewer, base::Time now) {
  if (!report_) {
    report_ = Report{.from = now, .before = usual_, .lowest = viewer.target, .cause = viewer.fall};
  }
  report_->to = now;
  if (viewer.target < report_->lowest) {
    report_->lowest = viewer.target;
    report_->cause = viewer.fall;
  }
  report_->frames_lost += viewer.frames_dropped - frames_lost_;
  if (tolerated_) report_->behind = std::max(report_->behind, viewer.behind_live);
}

std::optional<BadPicture::Report> BadPicture::finish() {
  auto report = std::exchange(report_, std::nullopt);
  if (report && report->to - report->from < kMinLength) return {};
  return report;
}

}  // namespace app
