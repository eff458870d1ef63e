#include "transcoder/time/dejitter.h"

#include <algorithm>
#include <utility>

namespace transcoder {

namespace {

/// Covers the keyframes of sources with two seconds between them, which are the latest pictures. A
/// longer window would keep the delay for longer after a single disturbance.
constexpr base::Duration kBucketTime = std::chrono::milliseconds{500};
constexpr std::size_t kBuckets = 8;

/// The wait shrinks by this part of the time between pictures: they leave 10 % faster than they
/// were taken, which does not show, and 0.5 s are gone in 5 s.
constexpr int kShrinkDivisor = 10;

constexpr int kSmoothing = 8;  // of the interval, in pictures
/// A longer interval is a gap of the source.
constexpr base::Duration kMaxSmoothedInterval = std::chrono::seconds{1};

}  // namespace

void Dejitter::observe(base::Duration lateness, base::Time arrival) {
  if (window_.empty() || arrival - window_.back().begin >= kBucketTime) {
    window_.push_back({arrival, lateness, lateness, {}});
  }
  while (arrival - window_.front().begin > kBucketTime * kBuckets) window_.pop_front();
  auto& newest = window_.back();
  newest.earliest = std::min(newest.earliest, lateness);
  newest.latest = std::max(newest.latest, lateness);
}

/// The second largest lateness of the parts of the window.
base::Duration Dejitter::recurring_lateness() const {
  auto largest = window_.front().latest;
  if (window_.size() == 1) return largest;
  auto second = window_.back().latest;
  if (second > largest) std::swap(largest, second);
  for (auto bucket = window_.begin() + 1; bucket + 1 < window_.end(); ++bucket) {
    second = std::max(second, std::min(largest, bucket->latest));
    largest = std::max(largest, bucket->latest);
  }
  return second;
}

/// `shrunk`: the lateness of the last picture, less what a wait may shrink since.
base::Duration Dejitter::lateness_to_apply(base::Duration shrunk) const {
  const auto earliest = std::ranges::min(window_, {}, &Bucket::earliest).earliest;
  const auto latest = recurring_lateness();
  const auto tolerance = interval_ / 2;
  const bool even = latest - earliest <= tolerance;
  if (even && shrunk - earliest <= tolerance) return earliest;
  return std::min(std::max(shrunk, even ? earliest : latest), earliest + kMaxWait);
}

base::Time Dejitter::release(media::Pts pts, base::Time arrival) {
  const auto lateness = arrival.time_since_epoch() - pts;
  const auto step = pts - pts_.value_or(pts);
  const bool first = !std::exchange(pts_, pts).has_value();
  if (!first) {
    const auto interval = std::min(step, kMaxSmoothedInterval);
    interval_ += interval_ == base::Duration{} ? interval : (interval - interval_) / kSmoothing;
  }
  observe(lateness, arrival);
  lateness_ = first ? lateness : lateness_to_apply(lateness_ - step / kShrinkDivisor);
  auto release = std::max(arrival, base::Time{pts + lateness_});
  if (!first) release = std::max(release, released_ + step / 2);
  released_ = std::min(release, std::max(arrival + kMaxWait, released_));
  auto& wait = window_.back().longest_wait;
  wait = std::max(wait, released_ - arrival);
  return released_;
}

base::Duration Dejitter::longest_wait() const {
  if (window_.empty()) return {};
  return std::ranges::max(window_, {}, &Bucket::longest_wait).longest_wait;
}

}  // namespace transcoder
