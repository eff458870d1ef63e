#include "abr/policy/fair_window.h"

#include <algorithm>
#include <cmath>

namespace abr {

namespace {

// RFC 9438: C (5.1), beta (4.6) and alpha (4.3).
constexpr double kScale = 0.4;
constexpr double kBeta = 0.7;
constexpr double kRenoGrowth = 3 * (1 - kBeta) / (1 + kBeta);
// A loss in a queue of less than this share of the longest one so far is not for lack of room.
// Beside long flows, with CUBIC (36 links, seeds 11 to 15: `sim_family --beside --policy
// symbiosis`): with 0.1, six instead of three runs have less than 40 % of their fair share; with
// 0.5, viewers beside four flows take more than 1.3 times their share on seven links instead of
// one.
constexpr double kCongestedShare = 0.25;

}  // namespace

double FairWindow::next(const Observation& o, const PathState& path, base::BitRate most,
                        base::Time now) {
  if (!path.cross_traffic || o.mss == 0 || o.srtt.count() == 0) {
    *this = {};
    return 0;
  }
  const auto limit = static_cast<double>((most * o.srtt).bytes()) / o.mss;
  window_ = epoch_ ? std::min(window_, limit) : limit;
  if (is_congested(o, path, now)) {
    reduce(now);
    reduce_again_at_ = now + o.srtt;
  } else if (epoch_) {
    grow(o, now);
  }
  return std::min(window_, limit);
}

/// A loss in a queue that is short for this path is not for lack of room.
bool FairWindow::is_congested(const Observation& o, const PathState& path, base::Time now) {
  longest_queue_ = std::max(longest_queue_, path.queue);
  const bool lost = o.dupack > 0 || o.rexmt > 0;
  return lost && now >= reduce_again_at_ && path.queue > kCongestedShare * longest_queue_;
}

/// RFC 9438, 4.6 and, if the window had not grown back, 4.7.
void FairWindow::reduce(base::Time now) {
  max_ = window_ < max_ ? window_ * (1 + kBeta) / 2 : window_;
  window_ = reno_ = kBeta * window_;
  k_ = std::cbrt((max_ - window_) / kScale);
  epoch_ = grown_at_ = now;
}

/// RFC 9438, 4.2 to 4.5.
void FairWindow::grow(const Observation& o, base::Time now) {
  reno_ += kRenoGrowth * base::seconds(now - grown_at_) / base::seconds(o.srtt);
  grown_at_ = now;
  const double cubic = max_ + kScale * std::pow(base::seconds(now - *epoch_) - k_, 3);
  window_ = std::max({window_, reno_, cubic});
}

}  // namespace abr
