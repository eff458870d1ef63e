#include "fluid_path.h"

#include <algorithm>

namespace sim {

namespace {
constexpr base::Duration kMinRto = std::chrono::milliseconds{200};  // Linux TCP_RTO_MIN
constexpr base::BitRate kStandstill = base::BitRate{1000};
}  // namespace

PathEvents FluidPath::advance(base::ByteCount frame, base::Duration step) {
  PathEvents events;
  backlog_ += frame;
  if (std::min(backlog_, window_) > queue_ && !lost_at_) lost_at_ = elapsed_;
  const base::ByteCount sent = std::min(backlog_, capacity() * step);
  backlog_ -= sent;
  events.rexmt = expired_timers(sent.bytes() > 0 || backlog_.bytes() == 0, step);
  elapsed_ += step;
  if (lost_at_ && capacity() > kStandstill && elapsed_ >= *lost_at_ + smoothed_rtt()) {
    events.dupack = 1;
    lost_at_.reset();
  }
  return events;
}

base::Duration FluidPath::delay() const {
  return backlog_ / std::max(capacity(), kStandstill) + round_trip_ / 2;
}

base::Duration FluidPath::queueing() const {
  return std::min({backlog_, queue_, window_}) / std::max(capacity(), kStandstill);
}

unsigned FluidPath::expired_timers(bool progress, base::Duration step) {
  if (progress) {
    no_progress_ = base::Duration::zero();
    rto_ = std::max(kMinRto, 2 * round_trip_);
    return 0;
  }
  no_progress_ += step;
  if (no_progress_ < rto_) return 0;
  no_progress_ = base::Duration::zero();
  rto_ *= 2;
  return 1;
}

}  // namespace sim
