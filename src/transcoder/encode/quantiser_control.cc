#include "transcoder/encode/quantiser_control.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace transcoder {

namespace {

/// By code, from 1.
constexpr std::array<double, 31> kScales{1,  2,  3,  4,  5,  6,  7,  8,   10, 12, 14,
                                         16, 18, 20, 22, 24, 28, 32, 36,  40, 44, 48,
                                         52, 56, 64, 72, 80, 88, 96, 104, 112};

/// A step in the scale changes the bits by up to 30 %, so little is won by aiming closer.
constexpr double kAim = 0.95;

/// Grain falls below the quantiser all at once: bits go with the third power of 1 / scale there,
/// elsewhere with the first.
constexpr double kFinerPower = 1. / 3;
constexpr double kFinest = 0.75;  ///< of the last scale

/// What a coarse new picture left out would take many trials at the scale from before it, and long
/// at its own; a third of its own takes few of either.
constexpr double kAfterNew = 3;

/// Of its room: what a picture takes whose finer version did not fit, and that has little to show.
/// Others take half of it and more then.
constexpr double kLittle = 0.25;
constexpr int kPause = 30;  ///< pictures: trying costs a few times the CPU time of one

constexpr double kMoreRoom = 1.25;

/// The quantiser step of H.264's QP 0 (ITU-T H.264, table 8-15 and 8.5.12.1), which a scale is too
/// (13818-2, 7.4.2.3, with a weight of 16).
constexpr double kStepOfQp0 = 0.625;

/// x264's default ratio of the steps of predicted and of intra pictures.
constexpr double kNewFiner = 1.4;

/// The coarsest scale that is not above `scale`.
double at_most(double scale) {
  const auto* above = std::ranges::upper_bound(kScales, scale);
  return above == kScales.begin() ? kScales.front() : *(above - 1);
}

/// The code of the finest scale that is not below `scale`, but for rounding.
int code_of_at_least(double scale) {
  constexpr double kRounding = 0.99;
  const auto* at = std::ranges::lower_bound(kScales, scale * kRounding);
  const int code = static_cast<int>(at - kScales.begin()) + 1;
  return std::min(code, QuantiserControl::kCoarsest);
}

}  // namespace

QuantiserControl::QuantiserControl(double crf, int pixels)
    : finest_new_{at_most(kStepOfQp0 * std::exp2(crf / 6) / kNewFiner)},
      finest_predicted_{at_most(kStepOfQp0 * std::exp2(crf / 6))},
      guess_{.scale = 8, .bits = static_cast<double>(pixels)} {}

QuantiserControl::Coded QuantiserControl::last_of(Kind kind) const {
  return (kind == Kind::kNew ? new_ : predicted_).value_or(guess_);
}

bool QuantiserControl::may_be_finer(Kind kind) {
  if (kind == Kind::kNew || room_ > kMoreRoom * room_in_vain_) nothing_finer_ = 0;
  return nothing_finer_ == 0 || --nothing_finer_ == 0;
}

int QuantiserControl::choose(Kind kind, base::ByteCount room) {
  const auto last = last_of(kind);
  room_ = static_cast<double>(room.bits());
  const double ratio = kAim * room_ / last.bits;
  const bool finer = may_be_finer(kind);
  double scale = last.scale / ratio;
  if (ratio > 1 && new_) {
    scale = finer ? last.scale * std::max(kFinest, std::pow(ratio, -kFinerPower)) : last.scale;
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
  const bool in_vain = code > tried_ && last.bits < kLittle * room_;
  if (kind == Kind::kPredicted && in_vain) {
    nothing_finer_ = kPause;
    room_in_vain_ = room_;
  }
  if (kind == Kind::kNew) {
    if (!predicted_) predicted_ = Coded{.scale = 0, .bits = last.bits};
    predicted_->scale = std::max(predicted_->scale, last.scale / kAfterNew);
  }
}

}  // namespace transcoder
