#include "abr/ladder/encoder_effort.h"

#include <algorithm>

namespace abr {

namespace {

// How long there must have been room before the effort is raised. A shorter time follows scenes
// that are easy to encode for a moment; a longer one leaves the CPUs idle for longer.
constexpr base::Duration kCalmTime = std::chrono::seconds{5};
// Share of the usable CPUs that the encoders may take at the next effort. The rest is for scenes
// that cost more, so that the effort does not come and go: the load of a stream varies by a fifth.
constexpr double kRaiseShare = 0.75;
// Share of a CPU that one encoder may use at the next effort. A frame is encoded within that share
// of a frame interval, and viewers see it that much later. A larger share gives better pictures of
// large streams, a smaller one is sooner with the frames.
constexpr double kMostOfACpu = 0.4;
// An effort that is lowered within this time of being raised was too high.
constexpr base::Duration kTrial = std::chrono::seconds{15};
// The first and the longest wait after an effort was lowered, as of groups that are shed.
constexpr base::Duration kFirstHold = std::chrono::seconds{30};
constexpr base::Duration kLongestHold = std::chrono::minutes{8};

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
  hold_ = !failed ? kFirstHold : std::min(std::max(2 * hold_, kFirstHold), kLongestHold);
  hold_until_ = now + hold_;
  return true;
}

}  // namespace abr
