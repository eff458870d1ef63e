#include "abr/transfer/transfer_rate.h"

#include <algorithm>
#include <utility>

namespace abr {

namespace {

// Seconds of transfer: the rate falls with the newest kFallSpan, and rises with the newest
// kRiseSpan. Shorter spans follow the path sooner, longer ones even out bursts. Not measured
// against other values.
constexpr double kFallSpan = 0.2;
constexpr double kRiseSpan = 1;
// Bits that make the rate known even if they take less than kFallSpan: 22 TCP segments, more than
// an initial window of 10 (RFC 6928) in one burst. Fewer show the pace of that burst, more leave
// the rate unknown after the first short segments. Not measured against other values.
constexpr double kMinKnownBits = 8 * 32768;
// A slice with fewer bits shows the kernel's clock more than the path: at 64 kbit and 8 Mbit/s, a
// tick of it is half the time. It counts with the next one. A larger minimum joins more of a slow
// player's transfers. Not measured against other values.
constexpr double kMinSliceBits = 8 * 8192;
// Seconds: tcpi_busy_time counts jiffies, and CONFIG_HZ is 250 or more.
constexpr double kKernelTick = 0.004;
// Slices older than three segments of two seconds do not count. Longer remembers a path that may
// have changed, shorter leaves one slice for slow players. Not measured against other values.
constexpr base::Duration kSliceLifetime = std::chrono::seconds{6};
// A retransmission arrives within a round trip and a quarter of the loss (RACK-TLP, RFC 8985, 6.2).
// If nothing has for this long, the sender waits for a timer, or the path is blocked. Fewer let
// the rate fall while a segment is sent again, more let it fall later when the path is blocked.
constexpr double kQuietRoundTrips = 1.5;

}  // namespace

void TransferRate::follow(const TransferRate& former) {
  slices_ = former.slices_;
  count_ = former.count_;
  measured_ = former.measured_;
  sampled_ = former.sampled_;
}

void TransferRate::skip_idle(const Sample& sample) {
  bits_arrived(sample);
  previous_ = sample;
  sampled_ = sample.at;
}

void TransferRate::update(const Sample& sample) {
  const auto before = previous_.value_or(Sample{.idle = true});
  previous_ = sample;
  sampled_ = sample.at;
  if (before.idle) lead_ = base::seconds(sample.min_rtt);
  const auto held = sample.receiver_limited - before.receiver_limited;
  const double busy = std::max(0.0, base::seconds(sample.busy - before.busy - held));
  const double bits = bits_arrived(sample);
  if (quiet_ == 0) quiet_retransmits_ = before.retransmits;
  if (bits == 0 || before.repairing) quiet_ += busy;
  if (bits == 0 && !sample.idle) {
    if (is_silent()) measured_ = sample.at;
    return;
  }
  end_quiet(sample, before);
  const double seconds = bits == 0 || before.repairing ? 0 : of_path(busy, bits, sample, before);
  if (!before.repairing) lead_ = std::max(0.0, lead_ - (busy - seconds));
  current_.bits += bits;
  current_.seconds += seconds;
  if (sample.idle || current_.seconds - lead_ >= kFallSpan) finish_slice(sample);
}

/// The bits that have arrived since the last sample. A receiver may discard what it acknowledged
/// out of order, and the sender counts that in segments: a sum that shrinks counts again from its
/// highest value on.
double TransferRate::bits_arrived(const Sample& sample) {
  const auto before = std::exchange(arrived_, std::max(arrived_, sample.acked + sample.sacked));
  return 8.0 * static_cast<double>(arrived_ - before);
}

/// Something has arrived. Nothing did so before because only lost segments were missing, or because
/// the path is slow.
void TransferRate::end_quiet(const Sample& sample, const Sample& before) {
  const double quiet = std::exchange(quiet_, 0);
  const bool timer = quiet - lead_ > kQuietRoundTrips * base::seconds(sample.rtt) &&
                     sample.retransmits > quiet_retransmits_;
  const double repair = before.repairing || timer ? std::max(0.0, quiet - lead_) : 0;
  repaired_ += repair;
  current_.seconds += quiet - repair;
}

bool TransferRate::is_silent() const {
  return previous_ &&
         quiet_ - lead_ >= std::max(kFallSpan, kQuietRoundTrips * base::seconds(previous_->rtt));
}

/// The part of the busy time in which the bits passed the path. The kernel measures a rate of the
/// path from data sent without a pause and keeps it until the next such measurement: when it has
/// just changed, the bits took no longer than at that rate. While the window limits the transfer,
/// they took no longer than at the rate that the path had before.
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
  if (current_.bits < kMinSliceBits && current_.seconds < kFallSpan) return;
  slices_[count_++ % kMaxSlices] = {sample.at, current_.bits,
                                    std::max(current_.seconds, kKernelTick)};
  measured_ = sample.at;
  current_ = {};
}

/// The sum of the newest slices of `seconds` of transfer, or of all slices if they are shorter.
TransferRate::Slice TransferRate::newest(double seconds) const {
  Slice sum;
  for (std::size_t i = 0; i < std::min(count_, kMaxSlices) && sum.seconds < seconds; ++i) {
    const auto& slice = slices_[(count_ - 1 - i) % kMaxSlices];
    if (i > 0 && sampled_ - slice.at > kSliceLifetime) break;
    sum.bits += slice.bits;
    sum.seconds += slice.seconds;
  }
  return sum;
}

std::optional<base::BitRate> TransferRate::value() const {
  std::optional<double> rate;
  const auto all = newest(kRiseSpan);
  if (all.seconds >= kFallSpan || all.bits >= kMinKnownBits) {
    const auto last = newest(kFallSpan);
    rate = std::min(last.bits / last.seconds, all.bits / all.seconds);
  }
  if (is_silent()) {
    const double now = current_.bits / (current_.seconds + quiet_ - lead_);
    rate = std::min(rate.value_or(now), now);
  }
  if (!rate) return {};
  return base::BitRate{static_cast<std::int64_t>(*rate)};
}

}  // namespace abr
