#pragma once

#include <functional>

#include "base/units.h"

namespace sim {

/// What the sender's TCP tells the application in one step.
struct PathEvents {
  unsigned rexmt = 0;
  unsigned dupack = 0;
};

/// A TCP connection over one bottleneck as a fluid, in virtual time:
///
///   application ──▶ [ unsent | bottleneck queue ≤ `queue` ] ──▶ capacity(t) ──▶ delay ──▶ viewer
///
/// TCP keeps the bottleneck's queue full while there is a backlog, so an overflow is a loss, told
/// as DUPACK one round trip later, once per round trip. While nothing arrives for an RTO, each
/// expiry is a REXMT, with the RTO doubling (RFC 6298).
class FluidPath {
 public:
  using Capacity = std::function<base::BitRate(base::Duration since_start)>;

  FluidPath(Capacity capacity, base::Duration round_trip, base::ByteCount queue)
      : capacity_{std::move(capacity)}, round_trip_{round_trip}, queue_{queue} {}

  /// The application hands over `frame`, then `step` passes.
  PathEvents advance(base::ByteCount frame, base::Duration step);

  /// How long a byte handed over now takes to the viewer.
  base::Duration delay() const;
  base::Duration smoothed_rtt() const { return round_trip_ + queueing(); }
  base::BitRate capacity() const { return capacity_(elapsed_); }

 private:
  base::Duration queueing() const;
  unsigned expired_timers(bool progress, base::Duration step);

  const Capacity capacity_;
  const base::Duration round_trip_;
  const base::ByteCount queue_;
  base::Duration elapsed_{};
  base::ByteCount backlog_;
  base::Duration no_progress_{};
  base::Duration rto_{};
  base::Duration loss_told_at_{-1};  ///< negative: no loss is on its way
};

}  // namespace sim
