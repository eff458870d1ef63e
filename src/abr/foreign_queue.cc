#include "abr/foreign_queue.h"

#include <algorithm>

namespace abr {

namespace {

using namespace std::chrono_literals;

// A picture's time, for long enough to be no burst.
constexpr double kForeign = 0.03;  // seconds
constexpr base::Duration kSurely = 300ms;
constexpr double kNone = kForeign / 3;  // nothing waits
constexpr double kOwn = 0.7;            // of what waits is ours: nobody else is needed
// A queue that grows by this much while we take our share grows because of us (tests/sim: a fall
// of the capacity to a fifth looks like others for its first tenths of a second).
constexpr double kOurs = 0.15;  // seconds
constexpr base::Duration kOursFor = 3s;

}  // namespace

void ForeignQueue::add(const Waiting& waiting) {
  if (waiting.acked - newest_ > kSurely) foreign_since_.reset();
  newest_ = waiting.acked;
  const double foreign = std::max(0.0, waiting.all - waiting.own);
  if (waiting.all < kNone || (shared_ && waiting.surely_own > kOwn * waiting.all)) {
    add_own(waiting.acked);
  } else {
    add_foreign(waiting, foreign);
  }
}

void ForeignQueue::add_own(base::Time at) {
  foreign_since_.reset();
  if (!own_since_) own_since_ = at;
  if (at - *own_since_ >= kSurely) shared_ = false;
}

void ForeignQueue::add_foreign(const Waiting& waiting, double foreign) {
  own_since_.reset();
  if (foreign < kForeign) {
    foreign_since_.reset();
  } else if (!foreign_since_) {
    foreign_since_ = waiting.acked;
  }
  if (shared_ && waiting.all > queue_ + kOurs) {
    shared_ = false;
    foreign_since_.reset();
    not_before_ = waiting.acked + kOursFor;
  }
  const bool surely = foreign_since_ && waiting.acked - *foreign_since_ >= kSurely;
  if (shared_ || !surely || waiting.acked < not_before_) return;
  shared_ = true;
  queue_ = waiting.all;
}

}  // namespace abr
