#include "abr/transfer/transfer_rate.h"

#include <algorithm>

namespace abr {

namespace {

// Seconds of transfer that are enough to judge by: of these the first falls, both rise.
constexpr double kShort = 0.2;
constexpr double kLong = 1;
constexpr double kEnoughBits = 8 * 32768;  // likewise, however soon it passes: 22 TCP segments
// Less says more of the kernel's clock of 4 ms than of the path: it counts with what comes next.
constexpr double kLeastBits = 8 * 8192;
constexpr double kClock = 0.004;  // tcpi_busy_time counts jiffies; CONFIG_HZ is 250 or more
constexpr base::Duration kForget = std::chrono::seconds{6};  // three segments

}  // namespace

void TransferRate::update(const Sample& sample) {
  const auto before = previous_.value_or(Sample{.idle = true});
  previous_ = sample;
  if (before.idle) lead_ = base::seconds(sample.round_trip);
  const auto held = sample.receiver_limited - before.receiver_limited;
  const double busy = std::max(0.0, base::seconds(sample.busy - before.busy - held));
  const double bits = 8.0 * static_cast<double>(sample.acked - before.acked);
  const double seconds = bits > 0 ? of_path(busy, bits, sample, before) : busy;
  lead_ = std::max(0.0, lead_ - (busy - seconds));
  current_.bits += bits;
  current_.seconds += seconds;
  if (sample.idle || current_.seconds - lead_ >= kShort) finish_slice(sample);
}

/// Of the time in which something was under way that in which it passed. The kernel has a rate of
/// the path from what passed without a pause of its sender's, and keeps it until there is another
/// such: where it has just changed, what came took no longer than it says. Nor did it, while the
/// window is what limits it, take longer than at the rate that the path has had.
double TransferRate::of_path(double busy, double bits, const Sample& sample,
                             const Sample& before) const {
  double seconds = busy;
  if (sample.delivery_rate != before.delivery_rate) {
    seconds = std::min(seconds, bits / static_cast<double>(sample.delivery_rate.bps()));
  }
  if (!sample.window_limited) return seconds;
  const auto value = this->value();
  const auto known = value ? value : assumed_;
  return known ? std::min(seconds, bits / static_cast<double>(known->bps())) : seconds;
}

void TransferRate::finish_slice(const Sample& sample) {
  current_.seconds = std::max(current_.seconds - lead_, 0.0);
  lead_ = 0;
  if (current_.bits < kLeastBits && current_.seconds < kShort) return;
  slices_[count_++ % kSlices] = {sample.at, current_.bits, std::max(current_.seconds, kClock)};
  measured_ = sample.at;
  current_ = {};
}

/// Of so many seconds of transfer, or of what there is.
TransferRate::Slice TransferRate::newest(double seconds) const {
  Slice sum;
  for (std::size_t i = 0; i < std::min(count_, kSlices) && sum.seconds < seconds; ++i) {
    const auto& slice = slices_[(count_ - 1 - i) % kSlices];
    if (i > 0 && previous_->at - slice.at > kForget) break;
    sum.bits += slice.bits;
    sum.seconds += slice.seconds;
  }
  return sum;
}

std::optional<base::BitRate> TransferRate::value() const {
  const auto all = newest(kLong);
  if (all.seconds < kShort && all.bits < kEnoughBits) return {};
  const auto last = newest(kShort);
  return base::BitRate{
      static_cast<std::int64_t>(std::min(last.bits / last.seconds, all.bits / all.seconds))};
}

}  // namespace abr
