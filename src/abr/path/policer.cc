#include "abr/path/policer.h"

#include <algorithm>
#include <cmath>

namespace abr {

namespace {

using namespace std::chrono_literals;

// A bucket of 128 kB lasts 1 s at 1 Mbit/s too much; a link that only has become slower stays so
// for longer, or comes back to another rate (tests/sim: LTE-like traces are not taken for buckets).
constexpr base::Duration kSoon = 2s;
constexpr base::Duration kOver = 100ms;     // nothing has waited for so long: it is over
constexpr base::Duration kShortest = 80ms;  // shorter ones have no rate worth comparing
constexpr double kAlike = 0.1;
constexpr double kSpent = 0.15;  // of what a small bucket is filled with overflows
constexpr double kBroken = 2;    // so many times the rate was promised
constexpr int kRepeats = 2;
constexpr base::Duration kHold = 10s;
constexpr base::Duration kMostHold = 160s;

}  // namespace

void Policer::update(bool waiting, base::BitRate promised, base::ByteCount delivered,
                     base::Time now) {
  if (waiting) {
    if (!congested_) {
      congested_ = true;
      promised_ = promised;
      begin_ = now;
      delivered_at_begin_ = delivered;
    }
    end_ = now;
    delivered_at_end_ = delivered;
  } else if (congested_ && now - end_ > kOver) {
    congested_ = false;
    end_congestion();
  }
  if (now < until_) {
    last_end_ = now;
    delivered_at_last_end_ = delivered;
  }
}

void Policer::end_congestion() {
  if (end_ - begin_ < kShortest) return;
  if (begin_ < until_) return;  // at the bucket's rate: this one is of something else
  const auto rate = base::BitRate::of(delivered_at_end_ - delivered_at_begin_, end_ - begin_);
  const bool again = like_last(rate) && spent_all();
  alike_ = again ? alike_ + 1 : 0;
  rate_ = rate;
  last_end_ = end_;
  delivered_at_last_end_ = delivered_at_end_;
  if (!again) {
    hold_ = {};
    until_ = {};
  }
  if (alike_ < kRepeats) return;
  hold_ = hold_.count() == 0 ? kHold : std::min(2 * hold_, kMostHold);
  until_ = end_ + hold_;
}

/// The same rate gets through, and trains have promised more.
bool Policer::like_last(base::BitRate rate) const {
  return rate_.bps() > 0 && begin_ - last_end_ < kSoon && promised_ > kBroken * rate &&
         std::abs(rate / rate_ - 1) < kAlike;
}

/// There were no tokens when the last congestion ended, nor when this one began: what has passed
/// between is what they came with. After a hold there were some.
bool Policer::spent_all() const {
  const auto between =
      base::BitRate::of(delivered_at_begin_ - delivered_at_last_end_, begin_ - last_end_);
  return between > (1 - kSpent) * rate_ && (hold_.count() > 0 || between < (1 + kSpent) * rate_);
}

}  // namespace abr
