#include "abr/ladder/encoder_effort.h"

#include <algorithm>

#include "abr/tuning.h"

namespace abr {

namespace {

// How long there must have been room before the effort is raised. A shorter time follows scenes
// that are easy to encode for a moment; a longer one leaves the CPUs idle for longer. Not
// measured against other values.
constexpr base::Duration kCalmTime = std::chrono::seconds{5};
// Share of the usable CPUs that the encoders may take at the next effort. The rest is for scenes
// that cost more, so that the effort does not come and go: the load of a stream varies by a fifth.
// A larger share comes and goes, a smaller one leaves CPUs idle. Not measured against other values.
constexpr double kRaiseShare = 0.75;
// Share of a CPU that one encoder may use at the next effort. A frame is encoded within that share
// of a frame interval, and viewers see it that much later. A larger share gives better pictures of
// large streams, a smaller one is sooner with the frames. Not measured against other
// values.
constexpr double kMostOfACpu = 0.4;
// An effort that is lowered within this time of being raised was too high. A longer time also
// blames the effort for a later scene, a shorter one repeats an attempt that failed slowly. Not
// measured against other values.
constexpr base::Duration kTrial = std::chrono::seconds{15};

}  // namespace

bool EncoderEffort::update(const Load& load, base::Time now) {
  if (!chooses_) return false;
  if (load.late) return lower(0, now);
  if (load.own > load.usable) return lower(effort_ > 0 ? effort_ - 1 : 0, now);
  if (load.loops_late && effort_ > kFirst) return lower(kFirst, now);
  if (calm_since_ == base::Time{} || !may_rise(load)) calm_since_ = now;
  if (!load.may_raise || now - calm_since_ < kCalmTime || now < hold_until_) return false;
  ++effort_;
  calm_since_ = raised_ = now;
  return true;
}

bool EncoderEffort::may_rise(const Load& load) const {
  const std::size_t highest = load.loops_late ? kFirst : kCosts.size() - 1;
  if (load.own <= 0 || effort_ >= highest) return false;
  const double dearer = kCosts[effort_ + 1] / cost();
  return dearer * load.own <= kRaiseShare * load.usable && dearer * load.one <= kMostOfACpu;
}

bool EncoderEffort::lower(std::size_t effort, base::Time now) {
  calm_since_ = now;
  if (effort == effort_) return false;
  effort_ = effort;
  const bool failed = raised_ != base::Time{} && now - raised_ < kTrial;
  hold_ = !failed ? kFirstOverloadHold
                  : std::min(std::max(2 * hold_, kFirstOverloadHold), kLongestOverloadHold);
  hold_until_ = now + hold_;
  return true;
}

}  // namespace abr
