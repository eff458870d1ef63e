#include "abr/path/policer.h"

#include <algorithm>
#include <cmath>

namespace abr {

namespace {

using namespace std::chrono_literals;

// Effects of other values: differences of the means over the links of `sim_table --random 1
// --count 100 --policy symbiosis`, or over the scenarios of sim_table that are named.

// Congestions that are further apart do not belong to one bucket. A bucket of 128 kB lasts for 1 s
// at 1 Mbit/s too much; a link that has become slower stays so for longer, or changes to another
// rate. Shorter misses larger buckets, longer counts congestions by chance; 1 and 5 s change
// nothing.
constexpr base::Duration kMaxCongestionGap = 2s;
// A congestion is over when no data has waited for this long. Shorter splits one in two, longer
// joins the short congestions of a small bucket: with 300 ms, p95 of `bucket` is ten times as long.
constexpr base::Duration kCongestionEndTime = 100ms;
// The rate of a shorter congestion is too inexact for a comparison. Shorter compares noise, longer
// misses the congestions of a small bucket; 30 and 200 ms change nothing.
constexpr base::Duration kMinCongestionTime = 80ms;
// Relative difference of the rates of two congestions that count as equal. A larger one finds
// buckets by chance, a smaller one misses them because rates are inexact; 0.05 and 0.2 change
// nothing.
constexpr double kRateTolerance = 0.1;
// Relative difference between the bucket's rate and the rate between two congestions, in which a
// small bucket overflows. A larger one finds buckets behind short queues that others fill (there
// mostly 0.3 to 0.8 of the rate passes in between), a smaller one misses small buckets (0.96 to
// 1.03). 0.07 and 0.3 change nothing.
constexpr double kFillTolerance = 0.15;
// Trains must have promised this many times the rate: less may be an error of the measurement. With
// 1.3, `mobile` has 1.2 % less rate; with 4, the bucket of `bucket` is not found.
constexpr double kMinPromiseRatio = 2;
// Repetitions that prove a bucket. With one, `mobile` has 1 % less rate by chance; with more, a
// bucket is found later. With three, p95 of `bucket` is 4 % longer.
constexpr int kMinRepeats = 2;
// The first hold and the longest. Each hold that ends at a bucket costs a tenth of a second's
// delay: with a first hold of 3 s, p99 of `bucket` is 87 % longer; with 30 s, 69 % shorter. A
// longer hold keeps the rate low for longer where there is no bucket any more, or was none. A
// longest hold of 40 or 640 s changes nothing, because scenarios last for a minute.
constexpr base::Duration kFirstHoldTime = 10s;
constexpr base::Duration kMaxHoldTime = 160s;

}  // namespace

void Policer::update(bool congested, base::BitRate promised, base::ByteCount delivered,
                     base::Time now) {
  if (congested) {
    if (!congested_) {
      congested_ = true;
      promised_ = promised;
      begin_ = now;
      delivered_at_begin_ = delivered;
    }
    end_ = now;
    delivered_at_end_ = delivered;
  } else if (congested_ && now - end_ > kCongestionEndTime) {
    congested_ = false;
    end_congestion();
  }
  if (now < until_) {
    last_end_ = now;
    delivered_at_last_end_ = delivered;
  }
}

void Policer::end_congestion() {
  if (end_ - begin_ < kMinCongestionTime) return;
  if (begin_ < until_) return;  // at the bucket's rate already: something else caused it
  const auto rate = base::BitRate::of(delivered_at_end_ - delivered_at_begin_, end_ - begin_);
  const bool again = like_last(rate) && spent_all();
  repeats_ = again ? repeats_ + 1 : 0;
  rate_ = rate;
  last_end_ = end_;
  delivered_at_last_end_ = delivered_at_end_;
  if (!again) {
    hold_ = {};
    until_ = {};
  }
  if (repeats_ < kMinRepeats) return;
  hold_ = hold_.count() == 0 ? kFirstHoldTime : std::min(2 * hold_, kMaxHoldTime);
  until_ = end_ + hold_;
}

/// The same rate got through soon after the last congestion, though trains had promised more.
bool Policer::like_last(base::BitRate rate) const {
  return rate_.bps() > 0 && begin_ - last_end_ < kMaxCongestionGap &&
         promised_ > kMinPromiseRatio * rate && std::abs(rate / rate_ - 1) < kRateTolerance;
}

/// A bucket is empty when a congestion ends and when the next one begins, so that exactly its fill
/// rate passes in between. After a hold it had tokens, and more may have passed.
bool Policer::spent_all() const {
  const auto between =
      base::BitRate::of(delivered_at_begin_ - delivered_at_last_end_, begin_ - last_end_);
  return between > (1 - kFillTolerance) * rate_ &&
         (hold_.count() > 0 || between < (1 + kFillTolerance) * rate_);
}

}  // namespace abr
