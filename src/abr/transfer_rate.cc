#include "abr/transfer_rate.h"

#include <algorithm>

namespace abr {

namespace {

// Seconds of transfer that are enough to judge by: of these the first falls, both rise.
constexpr double kShort = 0.2;
constexpr double kLong = 1;
// Less says more of the kernel's clock of 4 ms than of the path.
constexpr double kLeastBits = 8 * 8192;
constexpr double kClock = 0.004;  // tcpi_busy_time counts jiffies; CONFIG_HZ is 250 or more
constexpr base::Duration kForget = std::chrono::seconds{6};  // three segments

}  // namespace

void TransferRate::update(const Sample& sample) {
  const auto before = previous_.value_or(sample);
  previous_ = sample;
  const auto held = sample.receiver_limited - before.receiver_limited;
  const double seconds = base::seconds(sample.busy - before.busy - held);
  current_.bits += 8.0 * static_cast<double>(sample.acked - before.acked);
  current_.seconds += std::max(0.0, seconds);
  const double lead = first_ ? base::seconds(sample.round_trip) : 0;
  if (sample.idle || current_.seconds - lead >= kShort) finish_slice(sample, lead);
}

void TransferRate::finish_slice(const Sample& sample, double lead) {
  const double seconds = std::max(current_.seconds - lead, kClock);
  if (current_.bits >= kLeastBits || seconds >= kShort) {
    slices_[count_++ % kSlices] = {sample.at, current_.bits, seconds};
    measured_ = sample.at;
  }
  current_ = {};
  first_ = sample.idle;
}

double TransferRate::over(double seconds) const {
  Slice sum;
  for (std::size_t i = 0; i < std::min(count_, kSlices) && sum.seconds < seconds; ++i) {
    const auto& slice = slices_[(count_ - 1 - i) % kSlices];
    if (i > 0 && previous_->at - slice.at > kForget) break;
    sum.bits += slice.bits;
    sum.seconds += slice.seconds;
  }
  return sum.seconds > 0 ? sum.bits / sum.seconds : 0;
}

base::BitRate TransferRate::value() const {
  return base::BitRate{static_cast<std::int64_t>(std::min(over(kShort), over(kLong)))};
}

}  // namespace abr
