#include "transcoder/encode/quantiser_control.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace transcoder {

namespace {

/// The scales of codes 1 to 31 (ISO/IEC 13818-2, table 7-6).
constexpr std::array<double, 31> kScales{1,  2,  3,  4,  5,  6,  7,  8,   10, 12, 14,
                                         16, 18, 20, 22, 24, 28, 32, 36,  40, 44, 48,
                                         52, 56, 64, 72, 80, 88, 96, 104, 112};

/// The part of the room to aim for. A step of the scale changes the bits by up to 30 %, so aiming
/// closer gains little.
constexpr double kTargetFill = 0.95;

/// Bits grow with the third power of 1 / scale where grain rises above the quantiser all at once,
/// elsewhere with the first power.
constexpr double kFinerExponent = 1. / 3;
/// The smallest step to a finer scale. A smaller ratio would reach the quality of `crf` sooner, but
/// encode more frames in vain.
constexpr double kMinScaleRatio = 0.75;

/// After a coarse new frame, predicted frames add the detail that it left out, at a third of its
/// scale. The scale from before the new frame would need many attempts, and the new frame's own
/// scale would take long.
constexpr double kScaleDivisorAfterNew = 3;

/// A still picture whose finer version did not fit takes less than this part of its room; other
/// pictures then take half of it or more.
constexpr double kStillFill = 0.25;
/// Frames without an attempt after such a failure: an attempt costs a few times the CPU time of a
/// frame.
constexpr int kAttemptPauseFrames = 30;
/// A room that has grown by this factor ends the pause. A smaller factor would repeat failures, a
/// larger one would keep a coarse picture longer.
constexpr double kRetryRoomRatio = 1.25;

/// The quantiser step of H.264's QP 0 (ITU-T H.264, table 8-15 and 8.5.12.1). An MPEG-2 scale is a
/// step in the same unit (13818-2, 7.4.2.3, with a weight of 16).
constexpr double kStepOfQp0 = 0.625;

/// x264's default ratio of the steps of P-frames and I-frames.
constexpr double kIpRatio = 1.4;

/// The coarsest scale that is not above `scale`.
double at_most(double scale) {
  const auto* above = std::ranges::upper_bound(kScales, scale);
  return above == kScales.begin() ? kScales.front() : *(above - 1);
}

/// The code of the finest scale that is not below `scale`, with a tolerance for rounding.
int code_of_at_least(double scale) {
  constexpr double kRoundingTolerance = 0.99;
  const auto* at = std::ranges::lower_bound(kScales, scale * kRoundingTolerance);
  const int code = static_cast<int>(at - kScales.begin()) + 1;
  return std::min(code, QuantiserControl::kCoarsestCode);
}

}  // namespace

QuantiserControl::QuantiserControl(double crf, int pixels)
    : finest_new_{at_most(kStepOfQp0 * std::exp2(crf / 6) / kIpRatio)},
      finest_predicted_{at_most(kStepOfQp0 * std::exp2(crf / 6))},
      guess_{.scale = 8, .bits = static_cast<double>(pixels)} {}

QuantiserControl::Coded QuantiserControl::last_of(Kind kind) const {
  return (kind == Kind::kNew ? new_ : predicted_).value_or(guess_);
}

bool QuantiserControl::may_be_finer(Kind kind) {
  if (kind == Kind::kNew || room_ > kRetryRoomRatio * failed_room_) pause_ = 0;
  return pause_ == 0 || --pause_ == 0;
}

int QuantiserControl::choose(Kind kind, base::ByteCount room) {
  const auto last = last_of(kind);
  room_ = static_cast<double>(room.bits());
  const double ratio = kTargetFill * room_ / last.bits;
  const bool finer = may_be_finer(kind);
  double scale = last.scale / ratio;
  if (ratio > 1 && new_) {
    scale = finer ? last.scale * std::max(kMinScaleRatio, std::pow(ratio, -kFinerExponent))
                  : last.scale;
  }
  const double finest = kind == Kind::kNew ? finest_new_ : finest_predicted_;
  tried_ = code_of_at_least(std::max(scale, finest));
  return tried_;
}

void QuantiserControl::coded(Kind kind, int code, base::ByteCount size) {
  const auto index = std::clamp(code, 1, static_cast<int>(kScales.size())) - 1;
  const Coded last{.scale = kScales[static_cast<std::size_t>(index)],
                   .bits = static_cast<double>(size.bits())};
  (kind == Kind::kNew ? new_ : predicted_) = last;
  const bool failed = code > tried_ && last.bits < kStillFill * room_;
  if (kind == Kind::kPredicted && failed) {
    pause_ = kAttemptPauseFrames;
    failed_room_ = room_;
  }
  if (kind == Kind::kNew) {
    if (!predicted_) predicted_ = Coded{.scale = 0, .bits = last.bits};
    predicted_->scale = std::max(predicted_->scale, last.scale / kScaleDivisorAfterNew);
  }
}

}  // namespace transcoder
