#include "abr/ladder/encode_budget.h"

#include <algorithm>

#include "abr/tuning.h"

namespace abr {

namespace {

// Counters are compared over this time. A shorter window has too few frames for a share of late
// ones, a longer one sheds a group later. Not measured against other values.
constexpr base::Duration kMeasureWindow = std::chrono::seconds{1};
// Weight of a new window in the smoothed cost. A larger one follows a new scene sooner, a smaller
// one evens out frames that cost more than others. Not measured against other values.
constexpr double kCostWeight = 0.25;
// A larger share of late frames is too much: one lost frame in twenty can be seen. It takes this
// many windows in a row, because a new encoder may lose two of thirty frames once. Smaller values
// shed groups for a short load, larger ones cost viewers frames for longer. Not measured.
constexpr double kMaxLateShare = 0.05;
constexpr int kMinLateWindows = 2;
// No group is opened that would take the process beyond the first share of the CPUs, and one is
// shed beyond the second, where frames wait for a CPU. The distance between the two keeps groups
// from coming and going. Smaller shares leave CPUs idle, larger ones make frames wait. Not measured
// against other values.
constexpr double kBusyShare = 0.9;
constexpr double kFullShare = 0.95;
// One for all viewers, and one for those whose links are too slow for it. With more, encoders would
// take more of the event loops' time; with one, the slowest viewer would set the rate of all. Not
// measured against other values.
constexpr std::size_t kGroupsOfLateLoops = 2;

/// A group was closed and another one opened under the same index.
bool is_another(const EncodeBudget::Encoder& now, const EncodeBudget::Encoder& last) {
  return now.frames < last.frames || now.late < last.late || now.cpu < last.cpu;
}

}  // namespace

EncodeBudget::Verdict EncodeBudget::update(std::span<const Encoder> encoders, const Others& others,
                                           base::Time now) {
  const auto window = now - measured_;
  if (window < kMeasureWindow) return {held(others), false, effort_.effort()};
  measured_ = now;
  measure(encoders, window);
  choose_effort(others, now);
  const bool shed = is_behind(encoders.size(), others, now);
  return {held(others), shed, effort_.effort()};
}

/// The next window shows whether a lower effort is enough, before a group is closed.
void EncodeBudget::choose_effort(const Others& others, base::Time now) {
  const double before = effort_.cost();
  const EncoderEffort::Load load{.own = load_,
                                 .one = load_of_one_,
                                 .usable = usable(others),
                                 .late = late_ > kMaxLateShare || is_crowded(others),
                                 .loops_late = others.late,
                                 .may_raise = others.may_raise};
  if (!effort_.update(load, now)) return;
  late_windows_ = 0;
  cost_ *= effort_.cost() / before;
  load_of_one_ *= effort_.cost() / before;
}

void EncodeBudget::measure(std::span<const Encoder> encoders, base::Duration window) {
  double cpu = 0;
  double pixels = 0;
  double frames = 0;
  double late = 0;
  double most = 0;  // pixels that the busiest encoder would have had to encode
  std::map<std::uint32_t, Encoder> seen;
  for (const auto& now : encoders) {
    seen[now.group] = now;
    const auto last = last_.find(now.group);
    if (last == last_.end() || is_another(now, last->second)) continue;
    const auto done = static_cast<double>(now.frames - last->second.frames);
    const auto lost = static_cast<double>(now.late - last->second.late);
    const auto size = static_cast<double>(now.pixels);
    cpu += base::seconds(now.cpu - last->second.cpu);
    frames += done;
    late += lost;
    pixels += done * size;
    most = std::max(most, (done + lost) * size);
  }
  last_ = std::move(seen);
  load_ = cpu / base::seconds(window);
  late_ = late > 0 ? late / (frames + late) : 0;
  if (pixels == 0) return;
  cost_ += (cost_ > 0 ? kCostWeight : 1) * (cpu / pixels - cost_);
  load_of_one_ = cost_ * most / base::seconds(window);
}

bool EncodeBudget::is_behind(std::size_t groups, const Others& others, base::Time now) {
  late_windows_ = late_ > kMaxLateShare || is_crowded(others) ? late_windows_ + 1 : 0;
  if (late_windows_ >= kMinLateWindows && groups > 1) {
    late_windows_ = 0;
    hold_ = hold_ > base::Duration::zero() ? std::min(2 * hold_, kLongestOverloadHold)
                                           : kFirstOverloadHold;
    hold_until_ = now + hold_;
    proven_ = groups - 1;
    return true;
  }
  if (now >= hold_until_) proven_.reset();
  if (now >= hold_until_ + kLongestOverloadHold) hold_ = {};
  return false;
}

bool EncodeBudget::is_crowded(const Others& others) const {
  return load_ >= others.most && load_ + others.encoders + others.rest > kFullShare * cpus_;
}

/// CPUs that this stream's encoders may use.
double EncodeBudget::usable(const Others& others) const {
  return std::min(share_ * cpus_, kBusyShare * cpus_ - others.rest) - others.encoders;
}

std::optional<std::size_t> EncodeBudget::held(const Others& others) const {
  if (load_of_one_ <= 0) return proven_;
  const double load_at_first = load_of_one_ / effort_.cost();
  auto fit = static_cast<std::size_t>(std::max(1.0, usable(others) / load_at_first));
  if (others.late) fit = std::min(fit, kGroupsOfLateLoops);
  return proven_ ? std::min(*proven_, fit) : fit;
}

}  // namespace abr
