#include "abr/path/cross_traffic.h"

#include <algorithm>

namespace abr {

namespace {

using namespace std::chrono_literals;

// Most of a frame's time, for long enough to be no burst.
constexpr double kForeign = 0.025;  // seconds
constexpr base::Duration kSurely = 300ms;
constexpr base::Duration kStands = 600ms;  // a mobile link's own queue may stand for shorter
constexpr base::Duration kPause = 700ms;   // PROBE_RTT's 200 ms, and until its queue stands again
constexpr base::Duration kGap = 1s;        // what nobody has looked at for so long may be over
constexpr int kFew = 3;                    // frames, where few are looked at
constexpr double kNone = kForeign / 3;     // nothing waits
constexpr double kOwn = 0.7;               // of what waits is ours: nobody else is needed
// A queue that grows by this much while we take our share grows because of us (tests/sim: a fall
// of the capacity to a fifth looks like others for its first tenths of a second).
constexpr double kOurs = 0.15;  // seconds
constexpr base::Duration kOursFor = 3s;

}  // namespace

void CrossTraffic::Stretch::add(base::Time at) {
  if (frames++ == 0) since = at;
  until = at;
}

bool CrossTraffic::Stretch::lasts(base::Duration time) const {
  return frames >= kFew && until - since >= time;
}

void CrossTraffic::add(const Waiting& waiting) {
  if (waiting.acked - newest_ > kGap) foreign_ = own_ = calm_ = standing_ = {};
  newest_ = waiting.acked;
  const bool stays = outlasts(waiting);
  const bool waits = waiting.all >= kNone;
  if (!waits || (present_ && waiting.self_induced > kOwn * waiting.all)) {
    add_own(waiting.acked, waits);
  } else {
    add_foreign(waiting, stays);
  }
}

/// What waits is not ours if the path had the time to pass it beside what arrived.
bool CrossTraffic::outlasts(const Waiting& waiting) {
  if (waiting.all < kForeign || !waiting.spare) {
    standing_ = {};
    return false;
  }
  if (standing_.frames == 0) {
    longest_ = spare_ = 0;
  } else {
    spare_ += *waiting.spare;
  }
  standing_.add(waiting.acked);
  longest_ = std::max(longest_, waiting.all);
  return standing_.lasts(kStands) && spare_ > longest_ + kForeign;
}

void CrossTraffic::add_own(base::Time at, bool waits) {
  foreign_ = {};
  calm_.add(at);
  if (waits) {
    own_.add(at);
  } else {
    own_ = {};
  }
  if (calm_.lasts(kPause) || own_.lasts(kSurely)) present_ = false;
}

void CrossTraffic::add_foreign(const Waiting& waiting, bool stays) {
  own_ = calm_ = {};
  if (waiting.all - waiting.own < kForeign) {
    foreign_ = {};
  } else {
    foreign_.add(waiting.acked);
  }
  if (present_ && waiting.all > queue_ + kOurs) {
    present_ = false;
    foreign_ = standing_ = {};
    not_before_ = waiting.acked + kOursFor;
  }
  if (present_ || !(stays || foreign_.lasts(kSurely)) || waiting.acked < not_before_) return;
  present_ = true;
  queue_ = waiting.all;
}

}  // namespace abr
